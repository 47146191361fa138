import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { unauthenticated, unavailable } from "../../chapters/errors.ts";
import { askService } from "../commands/service-client.ts";
import { UsageError } from "./arguments.ts";
import type { Env } from "./environment.ts";
import { loginPath, removeLogin, writeLogin } from "./login-file.ts";
import { print, printJson } from "./output.ts";

/**
 * `svc login URL`: reads a token (SVC_TOKEN, else standard input, unseen on a terminal), asks the service whose it is, and
 * stores both in a file of mode 0600. Throws, and stores nothing, when the service does not know the token.
 */
export async function loginCommand(env: Env, url: string, json: boolean): Promise<void> {
  const token = (env.SVC_TOKEN || (await readToken())).trim();
  if (token === "") throw new UsageError("A token is needed: set SVC_TOKEN, or give it on standard input.");
  const base = url.replace(/\/+$/, "");
  const res = await askService(`${base}/v0/whoami`, { headers: { accept: "application/json" } }, token);
  const who = await whoami(res);
  const path = writeLogin({ url: base, token, ...(who.org ? { org: who.org } : {}) });
  if (json) printJson({ url: base, ...who, stored: path });
  else print(`Logged in to ${base} as ${who.name}${who.org ? ` of ${who.org}` : ""}, ${who.scope}.`, `Stored: ${path}`);
}

/** `svc logout`: forgets the stored login. The token itself holds until it is revoked. */
export function logoutCommand(json: boolean): void {
  const removed = removeLogin();
  if (json) printJson({ removed, stored: loginPath() });
  else print(removed ? "Logged out. The token itself holds until org_tokens_delete." : "There was no login.");
}

interface Who {
  readonly kind: string;
  readonly name: string;
  readonly scope: string;
  readonly org?: string | null;
}

async function whoami(res: Response): Promise<Who> {
  const body = Object(await res.json().catch(() => undefined)) as Partial<Who> & { reason?: string };
  if (res.ok && typeof body.kind === "string") return body as Who;
  if (res.status === 401) throw unauthenticated("The service does not know this token; nothing was stored.");
  throw unavailable(body.reason ?? "What answers at this address is not this service; nothing was stored.");
}

async function readToken(): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true });
  process.stderr.write("Token: ");
  try {
    return await new Promise((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(""));
    });
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
