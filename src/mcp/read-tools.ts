import type { Caller } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import {
  type FoundTool,
  type ReadTool,
  type ReadTools,
  ROOT_TOOLS,
  type ToolRead,
} from "../../chapters/findings/assistant/root-tools.ts";
import { call, type Host } from "../../tools/kernel/call.ts";
import { type AnyOperation, orgResolutionOf, requiredOf } from "../../tools/kernel/operation.ts";
import type { RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { asksHow, isQuestion, searchOf } from "../../tools/kernel/search.ts";
import { countLine, shape } from "../../tools/kernel/shaped.ts";
import { publicError } from "../http/public-error.ts";
import { operatorCommands } from "./core-tools.ts";

/** The reading tools of a registry for one caller in one org. What spans orgs is none of them. */
export function readTools(
  registry: Registry,
  host: () => Host,
  caller: Caller,
  org: { id: string; tag: string },
): ReadTools {
  // Bound to the org and to scope read, so that no argument names a record of another one.
  const reader: Caller = { ...caller, scope: "read", org: { id: org.id, tag: org.tag } };
  const get = (name: string): RegisteredOperation | undefined => {
    const registered = registry.get(name);
    return registered && isReading(registered) ? registered : undefined;
  };
  return {
    find: (question) => found(registry, question),
    operator: (question) =>
      // Whoever asks to be told something asks for no command that changes it.
      (isQuestion(question) ? [] : operatorCommands(question)).map(({ run, does, known }) => ({
        act: `${run}: ${does}`,
        known,
      })),
    list: (names) => names.flatMap((name) => listed(get(name))),
    async call(name, args, signal) {
      const registered = get(name);
      if (!registered) return refused(new AppError("not_found", "There is no reading tool of this name."));
      try {
        return read(registered, await call(host(), registered.op, { credential: { caller: reader }, args, signal }));
      } catch (error) {
        if (error instanceof AppError) return refused(error);
        throw error;
      }
    },
  };
}

/** How much more what an org asks about its work counts than the rest of what can be read. */
const USUAL = 1.2;

/** The operations that fit a question, the best first: those that act alone where the way to do something is asked. */
function found(registry: Registry, question: string): FoundTool[] {
  const asks = isQuestion(question);
  const acts = asksHow(question);
  const rows = searchOf(registry)()
    .find(question, ({ op }) => !spansOrgs(op) && !op.name.startsWith("root_"))
    .map(({ registered, score, known, about }) => {
      const usual = (ROOT_TOOLS as readonly string[]).includes(registered.op.name);
      return { registered, known, about, score: (usual ? score * USUAL : score) * known };
    })
    .filter(({ registered }) =>
      registered.op.effect === "read" ? isAnswerable(registered) && (!acts || isFile(registered)) : !asks,
    )
    .sort((a, b) => b.score - a.score);
  return rows.map(({ registered, known, about }) => {
    const { name, title, effect, scope } = registered.op;
    const takes = Object.keys(registered.op.input.shape).filter((field) => field !== "orgtag");
    const required = requiredOf(registered.op);
    return { name, title, reads: isReading(registered), effect, scope, known, about, takes, required };
  });
}

/** Whether a question that names no record can be put to it: what it needs is the newest of a kind, or nothing. */
function isAnswerable(registered: RegisteredOperation): boolean {
  const needed = requiredOf(registered.op);
  return ["", "gid", "a b", "env_id", "surface", "aid"].includes(needed.join(" "));
}

function isReading(registered: RegisteredOperation): boolean {
  const { op } = registered;
  return (
    op.scope === "read" && op.effect === "read" && !isFile(registered) && !spansOrgs(op) && !op.name.startsWith("root_")
  );
}

/** Whether what it answers is handed over as a file and in no other form: nobody reads that out. */
function isFile({ op }: RegisteredOperation): boolean {
  return op.answer === "file" && op.shape === undefined;
}

/** Whether it answers of other orgs: with a field for the org (jobs_list) it answers a caller bound to one of that one alone. */
function spansOrgs(op: AnyOperation): boolean {
  return orgResolutionOf(op).from === "service" && !("org" in op.input.shape);
}

function listed(registered: RegisteredOperation | undefined): ReadTool[] {
  if (!registered) return [];
  const { name, description, inputSchema } = registered.listing;
  return [{ name, description, schema: inputSchema }];
}

function read({ op }: RegisteredOperation, outcome: Awaited<ReturnType<typeof call>>): ToolRead {
  const body = outcome.kind === "file" ? outcome.file.data : outcome.body;
  if (!op.shape || body === undefined) return { status: outcome.status, body };
  const { verdict, counts, next } = shape(op, outcome.status, body).structured;
  const told = { status: outcome.status, body, verdict, counts: counts.map(countLine) };
  return next === undefined ? told : { ...told, next };
}

function refused(error: AppError): ToolRead {
  const { status, body } = publicError(error, "");
  return { status, body };
}
