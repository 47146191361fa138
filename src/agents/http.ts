import { type Agent, request } from "undici";
import type { AgentAnswer, TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import type { OpenTarget } from "../../chapters/records/agents/agents.ts";
import { AddressRefused, checkLiteralHost } from "./addresses.ts";
import { readAnswer, tail } from "./answers.ts";
import { LIMITS } from "./limits.ts";
import { userTurns } from "./user-turns.ts";

type HttpTarget = Extract<OpenTarget, { kind: "http" }>;
type Cause = NonNullable<TrialOutcome["cause"]>;

const REDIRECTS = 5;
const REDIRECT = new Set([301, 302, 307, 308]);
/** No connection came about, so that nothing was delivered. */
const NO_CONNECTION = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A turn that ended the trial. */
class TurnFailed extends Error {
  override readonly cause: Cause;
  constructor(cause: Cause, message: string) {
    super(message);
    this.name = "TurnFailed";
    this.cause = cause;
  }
}

/** One trial of an http agent: a POST per turn. Never rejects for what the agent does. */
export async function runHttp(
  target: HttpTarget,
  brief: TrialBrief,
  signal: AbortSignal,
  net: { readonly dispatcher: Agent; readonly privateAllowed: boolean },
): Promise<TrialOutcome> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(Math.max(1, brief.timeoutSeconds * 1_000));
  const either = AbortSignal.any([signal, timeout]);
  const answers: AgentAnswer[] = [];
  const turns: string[] = [];
  const notes: string[] = [];
  let cause: Cause | undefined;
  let malformed = false;
  try {
    for await (const turn of userTurns(brief, answers)) {
      turns.push(turn);
      const sent = requestBody(target, brief, turns, answers);
      const text = await post(target, sent, turns.length === 1, either, net);
      const answer = readBody(target.adapter, text);
      if (!answer) {
        malformed = true;
        notes.push(`An answer was not in the adapter's form: ${tail(text, 200)}`);
      }
      answers.push(answer ?? { text: "" });
    }
  } catch (error) {
    if (error instanceof TurnFailed) {
      cause = error.cause;
      notes.push(error.message);
    } else if (either.aborted) cause = timeout.aborted ? "timeout" : "stopped";
    else throw error;
  }
  return {
    answers,
    began: cause !== "could_not_start",
    ...(cause === undefined ? {} : { cause }),
    ...(malformed ? { malformed } : {}),
    ms: performance.now() - started,
    log: tail(notes.join("\n"), LIMITS.logChars),
  };
}

function requestBody(
  { adapter }: HttpTarget,
  brief: TrialBrief,
  turns: readonly string[],
  answers: readonly AgentAnswer[],
): { type: string; body: string; headers: Record<string, string> } {
  const text = turns.at(-1) ?? "";
  const trial = {
    trial_id: brief.trial,
    trial_mcp_url: brief.mcpUrl,
    trial_mcp_token: brief.mcpToken,
    trial_timeout_s: brief.timeoutSeconds,
  };
  if (adapter === "svc") {
    const body = JSON.stringify({ session: brief.trial, turn: turns.length, text, ...trial });
    return { type: "application/json", body, headers: {} };
  }
  if (adapter === "text") {
    const headers = Object.fromEntries(
      Object.entries(trial).map(([name, value]) => [`svc-${name.replaceAll("_", "-")}`, String(value)]),
    );
    return { type: "text/plain; charset=utf-8", body: text, headers: { ...headers, "svc-session": brief.trial } };
  }
  const messages = turns.flatMap((content, index) => {
    const said = answers[index];
    return [{ role: "user", content }, ...(said ? [{ role: "assistant", content: said.text }] : [])];
  });
  const metadata = Object.fromEntries(Object.entries(trial).map(([name, value]) => [`svc_${name}`, String(value)]));
  const body = JSON.stringify({ model: "agent", messages, user: brief.trial, metadata });
  return { type: "application/json", body, headers: {} };
}

async function post(
  target: HttpTarget,
  sent: ReturnType<typeof requestBody>,
  first: boolean,
  signal: AbortSignal,
  { dispatcher, privateAllowed }: { readonly dispatcher: Agent; readonly privateAllowed: boolean },
): Promise<string> {
  let url = new URL(target.url);
  const origin = url.origin;
  for (let hop = 0; hop <= REDIRECTS; hop++) {
    const own = url.origin === origin ? target.headers : {};
    const headers = { ...own, ...sent.headers, "content-type": sent.type, accept: "application/json, text/plain" };
    const options = {
      method: "POST",
      headers,
      body: sent.body,
      signal,
      dispatcher,
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const;
    // Where an agent redirects to is its own doing: only its own address can be away.
    const response = await open(url, options, first && hop === 0, privateAllowed);
    const { statusCode, body } = response;
    const location = response.headers.location;
    if (REDIRECT.has(statusCode) && typeof location === "string") {
      await body.dump();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (!next || !/^https?:$/.test(next.protocol))
        throw new TurnFailed("crash", "It redirected to no address that can be used.");
      url = next;
      continue;
    }
    const text = await readCapped(body, signal);
    if (statusCode >= 200 && statusCode < 300) return text;
    // Whoever answers has been given the turn: no status takes a trial out of the count.
    throw new TurnFailed("crash", `It answered HTTP ${statusCode}: ${tail(text, 200)}`);
  }
  throw new TurnFailed("crash", `It redirected more than ${REDIRECTS} times.`);
}

/** `first`: nothing was sent to the agent before. */
async function open(url: URL, options: Parameters<typeof request>[1], first: boolean, privateAllowed: boolean) {
  try {
    if (!privateAllowed) checkLiteralHost(url);
    return await request(url, options);
  } catch (error) {
    if (options?.signal instanceof AbortSignal && options.signal.aborted) throw error;
    if (error instanceof AddressRefused) throw new TurnFailed(first ? "could_not_start" : "crash", error.message);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const unreachable = first && NO_CONNECTION.has(code);
    throw new TurnFailed(
      unreachable ? "could_not_start" : "crash",
      `The connection failed${code === "" ? "" : ` (${code})`}.`,
    );
  }
}

async function readCapped(body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > LIMITS.outputBytes) throw new TurnFailed("flood", "Its answer was longer than allowed.");
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof TurnFailed || signal.aborted) throw error;
    throw new TurnFailed("crash", "The connection broke in the middle of its answer.");
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readBody(adapter: HttpTarget["adapter"], text: string): AgentAnswer | undefined {
  if (adapter === "text") return { text: text.trim() };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (adapter === "svc") return readAnswer(value);
  const content = (value as { choices?: { message?: { content?: unknown } }[] } | null)?.choices?.[0]?.message?.content;
  return typeof content === "string" ? { text: content } : undefined;
}
