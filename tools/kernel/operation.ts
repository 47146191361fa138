import { z } from "zod";
import type { Scope } from "../../chapters/caller.ts";
import type { Ctx, ServiceCtx } from "../../chapters/context.ts";
import type { RecordKind } from "../../chapters/record.ts";
import type { FileAnswer, Reply } from "../../chapters/reply.ts";
import { Tier } from "../../chapters/tier.ts";
// Whoever reads an operation, a build too, finds the fields of the engine described.
import "./engine-fields.ts";

/** What a call does to the service: settles the annotations and the success status. */
export type Effect = "read" | "create" | "update" | "delete" | "start";

/** What a client may ask its user about before it calls. */
export interface Hints {
  /** It discards what cannot be had back. */
  readonly destructive?: boolean;
  /** Calling it twice with the same input does no more than calling it once. */
  readonly idempotent?: boolean;
  /** It reaches systems outside the service: agents, vendors, mail. */
  readonly openWorld?: boolean;
}

/**
 * How a call finds its org: from `{orgtag}` in the path, from an `org` field of the input, from the stored record
 * that the path names, or not at all (`service`: the operation spans orgs).
 */
export type OrgResolution =
  | { readonly from: "path" }
  | { readonly from: "field" }
  | { readonly from: "record"; readonly kind: RecordKind | "job" | "token"; readonly param: string }
  | { readonly from: "service" };

type Answer<O extends z.ZodType> = z.input<O> | Reply<z.input<O>> | Reply<FileAnswer> | FileAnswer;

/** One operation: a tool and a route made from the same definition. */
export interface Operation<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType, C = never> {
  readonly name: string;
  readonly title: string;
  /** For the model that must choose it: when to use it and what comes back. Under 2,048 characters, essential first. */
  readonly description: string;
  readonly scope: Scope;
  readonly effect: Effect;
  /** Where the effect alone would tell a client wrong: see `annotationsOf`. */
  readonly hints?: Hints;
  /** `METHOD /v0/…` with `{param}` segments; `{param:path}` takes slashes too. */
  readonly route: string;
  /** Path, query and body in one flat object. */
  readonly input: I;
  readonly output: O;
  /** `path` when the route names `{orgtag}`, else to be said. */
  readonly orgResolution?: OrgResolution;
  /** `json` (default), or `stream`: the handler reads `ctx.body`, and over MCP gets the input alone. */
  readonly body?: "json" | "stream";
  readonly answer?: "json" | "file" | "redirect";
  /**
   * It may take long: over REST a caller may have it as a job (`Prefer: respond-async`), whose result is its answer. A
   * job goes on after a restart, so begun twice it must do no more than once.
   */
  readonly deferrable?: true;
  /** The statuses it may answer with, the usual one first; by effect when absent. */
  readonly statuses?: readonly number[];
  /** Set by `shaped`. */
  readonly shape?: Shape<z.output<O>>;
  readonly handle: (ctx: C, input: z.output<I>) => Promise<Answer<O>>;
}

/** A number of a shaped answer: what it counts, of how many, and in words how it was counted. */
export const Count = z.object({
  name: z.string(),
  value: z.number(),
  of: z.number().optional(),
  tier: Tier,
  how: z.string(),
});
export type Count = z.infer<typeof Count>;

/** What makes an operation shaped: pure functions of its answer. */
export interface Shape<A> {
  /** One line that says what came out. */
  readonly verdict: (answer: A) => string;
  readonly counts: (answer: A) => readonly Count[];
  /** Which tool to call next and why; absent when nothing follows. */
  readonly next?: (answer: A) => string | undefined;
}

/** Any operation, as the registry holds it. */
// biome-ignore lint/suspicious/noExplicitAny: handlers of different inputs share one list; `call` alone calls them, after the parse.
export type AnyOperation = Operation<z.ZodObject, z.ZodType, any>;

/** What a method does where nobody says otherwise; a POST always says it. */
const EFFECTS = { GET: "read", PUT: "update", PATCH: "update", DELETE: "delete" } as const;
type StatedEffect =
  | { readonly effect: Effect }
  | { readonly effect?: Effect; readonly route: `${keyof typeof EFFECTS} ${string}` };
/** An operation as it is declared: its effect is that of its method where it is left out. */
type Declared<I extends z.ZodObject, O extends z.ZodType, C, Settled extends keyof Operation = never> = Omit<
  Operation<I, O, C>,
  "effect" | Settled
> &
  StatedEffect;

function effectOf({ effect, route }: { readonly effect?: Effect; readonly route: string }): Effect {
  return effect ?? EFFECTS[route.split(" ")[0] as keyof typeof EFFECTS];
}

/** Defines an operation of an org. */
export function operation<I extends z.ZodObject, O extends z.ZodType>(
  definition: Declared<I, O, Ctx>,
): Operation<I, O, Ctx> {
  return { ...definition, effect: effectOf(definition) };
}

/** Defines an operation that spans orgs; its handler gets a ServiceCtx. */
export function serviceOperation<I extends z.ZodObject, O extends z.ZodType>(
  definition: Declared<I, O, ServiceCtx, "orgResolution">,
): Operation<I, O, ServiceCtx> {
  return { ...definition, effect: effectOf(definition), orgResolution: { from: "service" } };
}

/** Defines an operation whose tool answers a verdict line, counts with how each was made, and what to call next. */
export function shaped<I extends z.ZodObject, O extends z.ZodType>(
  definition: Declared<I, O, Ctx> & Shape<z.output<O>>,
): Operation<I, O, Ctx> {
  const { verdict, counts, next, ...rest } = definition;
  return {
    ...rest,
    effect: effectOf(rest),
    shape: next === undefined ? { verdict, counts } : { verdict, counts, next },
  };
}

const SUCCESS: Record<Effect, number> = { read: 200, create: 201, update: 200, delete: 200, start: 202 };

/** The statuses an operation may answer with, the usual one first. */
export function statusesOf(op: AnyOperation): readonly [number, ...number[]] {
  const [first, ...rest] = op.statuses ?? [];
  return [first ?? SUCCESS[op.effect], ...rest];
}

/** The reach of an operation: as said, else `path` where its route names the org. */
export function orgResolutionOf(op: AnyOperation): OrgResolution {
  if (op.orgResolution) return op.orgResolution;
  if (op.route.includes("{orgtag}")) return { from: "path" };
  if ("org" in op.input.shape) return { from: "field" };
  throw new Error(`${op.name}: say the reach; its route names no org and its input has no org field`);
}

/** All four MCP annotations: from the effect, but for what `hints` says otherwise. */
export function annotationsOf(op: AnyOperation) {
  const read = op.effect === "read";
  return {
    title: op.title,
    readOnlyHint: read,
    destructiveHint: op.hints?.destructive ?? op.effect === "delete",
    idempotentHint: op.hints?.idempotent ?? (op.effect !== "create" && op.effect !== "start"),
    openWorldHint: op.hints?.openWorld ?? false,
  };
}

const STRICT = new WeakMap<AnyOperation, z.ZodObject>();

/** An operation's input with unknown fields refused. Made once: zod compiles a schema at its first parse. */
export function strictInput(op: AnyOperation): z.ZodObject {
  const made = STRICT.get(op) ?? op.input.strict();
  STRICT.set(op, made);
  return made;
}

/** What an operation has to be given beside the org, which the credential says. */
export function requiredOf({ input }: Pick<AnyOperation, "input">): string[] {
  return Object.entries(input.shape)
    .filter(([name, field]) => name !== "orgtag" && !(field as z.ZodType).safeParse(undefined).success)
    .map(([name]) => name);
}
