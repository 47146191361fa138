import { AppError, badRequest, unavailable, unprocessable } from "../../chapters/errors.ts";
import { headLines, type ShapedAnswer } from "../../tools/kernel/shaped.ts";
import { didYouMean } from "../../tools/kernel/suggest.ts";
import { askService } from "../commands/service-client.ts";
import type { AnsweredFile, ListedTool, ToolAnswer } from "../commands/tools-client.ts";
import { argumentsOf, UsageError } from "./arguments.ts";
import { refusalOf, withTools } from "./connect.ts";
import type { Env } from "./environment.ts";
import { print, printJson, say, writeOut } from "./output.ts";

/** `svc tools`: names and titles, one a line. */
export async function toolsCommand(env: Env, query: string, json: boolean): Promise<void> {
  await withTools(env, query, async ({ list }) => {
    const tools = await list();
    if (json) printJson(tools.map(({ name, title, description }) => ({ name, title, description })));
    else print(...tools.map(({ name, title }) => `${name}\t${title ?? ""}`));
  });
}

/** `svc tools NAME`: what a tool does, and each argument with its type. Throws UsageError for a name that is none. */
export async function toolCommand(env: Env, name: string, json: boolean): Promise<void> {
  await withTools(env, "", async ({ list }) => {
    const tool = named(await list(), name);
    if (json) printJson(tool);
    else print(`${tool.name}: ${tool.title ?? ""}`, "", tool.description ?? "", "", ...argumentLines(tool));
  });
}

/** How a call is answered: as JSON alone, or its file written to a path. */
export interface CallOptions {
  readonly json?: boolean;
  readonly out?: string;
}

/** `svc call`: prints the tool's answer; 0 when it did its work, 1 when it was refused. Throws UsageError before anything is asked. */
export async function callCommand(
  env: Env,
  name: string,
  pairs: readonly string[],
  { json = false, out }: CallOptions = {},
): Promise<number> {
  return withTools(env, "", async ({ list, call }) => {
    const tool = named(await list(), name);
    const properties = tool.inputSchema?.properties ?? {};
    const args = argumentsOf(pairs, { properties });
    if (env.SVC_ORG && "orgtag" in properties) args.orgtag ??= env.SVC_ORG;
    const answer = await call(name, args);
    if (answer.isError) {
      print(answer.text);
      say(`svc: ${refusalOf(answer)} What it takes: svc tools ${name}`);
      return 1;
    }
    if (out !== undefined) await writeAnswer(env, out, answer);
    if (json) printJson(jsonOf(answer, out));
    else print(out !== undefined && answer.file ? `Written: ${out}` : forPerson(answer));
    return 0;
  });
}

/** A verdict and the page that tells the rest; the same once more as JSON is for `--json`. */
function forPerson({ text, structured, file }: ToolAnswer): string {
  const { verdict, counts, next } = Object(structured) as Partial<ShapedAnswer>;
  if (verdict === undefined || counts === undefined || !file?.bytes || !file.type.startsWith("text/")) return text;
  return [...headLines(verdict, counts, next), "", file.bytes.toString()].join("\n");
}

function named(tools: readonly ListedTool[], name: string): ListedTool {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const near = didYouMean(
    name,
    tools.map((tool) => tool.name),
  );
  throw new UsageError(`There is no tool of that name.${near} See: svc tools`, [name]);
}

function argumentLines({ inputSchema }: ListedTool): string[] {
  const required = new Set(inputSchema?.required ?? []);
  const all = Object.entries(inputSchema?.properties ?? {});
  const width = Math.max(0, ...all.map(([key]) => key.length));
  return all.map(([key, property]) => {
    const { description } = Object(property) as { description?: string };
    const must = required.has(key) ? "required" : "";
    return [`  ${key.padEnd(width)}`, typeWord(property), must, description].filter(Boolean).join("  ");
  });
}

function typeWord(property: unknown): string {
  const { type, enum: values, anyOf, items } = Object(property) as Record<string, unknown>;
  if (Array.isArray(values)) return values.join("|");
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeWord))].join(" or ");
  if (type === "array") return `list of ${typeWord(items)}`;
  return typeof type === "string" ? type : "any";
}

async function writeAnswer(env: Env, out: string, { file }: ToolAnswer): Promise<void> {
  if (!file) throw unprocessable("The tool answered no file, so nothing was written. Leave out --out.");
  try {
    writeOut(out, file.bytes ?? (await fetched(env, file)));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badRequest("The file cannot be written:", { names: [out] });
  }
}

/** A file that is only linked to, fetched with the same token, and only from the service itself. */
async function fetched(env: Env, { url = "" }: AnsweredFile): Promise<Buffer> {
  const path = URL.canParse(url) ? new URL(url).pathname + new URL(url).search : "";
  const res = await askService(`${(env.SVC_URL ?? "").replace(/\/+$/, "")}${path}`, {}, env.SVC_TOKEN);
  if (!res.ok) throw unavailable(`The file cannot be fetched: the service answered ${res.status}.`);
  return Buffer.from(await res.arrayBuffer());
}

function jsonOf({ text, structured, file }: ToolAnswer, out: string | undefined): unknown {
  if (!file) return structured ?? text;
  const data = Object(structured) as object;
  if (out !== undefined) return { ...data, file: { type: file.type, written: out } };
  const { type, bytes, url } = file;
  return { ...data, file: bytes ? { type, base64: bytes.toString("base64") } : { type, url } };
}
