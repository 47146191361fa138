import { canonicalJson } from "../digest.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { WorldAnswer } from "../world-api.ts";
import { errorSignature, statedStatus } from "./errors.ts";
import { type HttpGrammar, type HttpRoute, routeName } from "./grammar.ts";

/** What goes over the wire. `gap`: the call cannot be answered from what is known of the API. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly gap: boolean;
}

const BY_CLASS: readonly (readonly [RegExp, number])[] = [
  [/not_found|no_data/, 404],
  [/^refused$|forbidden|permission/, 403],
  [/conflict|exists/, 409],
];

/** The answer of a route's tool as the API would send it: its status, headers and bytes. `base` stands in place of the observed origins. */
export function httpAnswer(
  grammar: HttpGrammar,
  route: HttpRoute,
  args: JsonObject,
  answer: WorldAnswer,
  base: string,
): HttpAnswer {
  if (answer.servedBy === "gap" || answer.servedBy === "schema") {
    const declared =
      answer.servedBy === "schema" ? route.statuses.find((status) => status === 400 || status === 422) : undefined;
    if (declared !== undefined) return json(declared, { error: "bad_request" }, false);
    return notServed(routeName(route));
  }
  const noted = grammar.recorded[route.tool]?.[canonicalJson(args)];
  const recorded = answer.servedBy === "recorded" ? noted : undefined;
  const paging = recorded?.headers ?? (answer.changes.length === 0 && !answer.isError ? noted?.headers : undefined);
  const headers = { ...(answer.isError ? {} : route.headers), ...paging };
  const status = recorded?.status ?? (answer.isError ? errorStatus(grammar, route, answer) : route.success);
  const own = (text: string) => grammar.origins.reduce((out, origin) => out.replaceAll(origin, base), text);
  const moved = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, own(value)]));
  const value = route.wrapped && isObject(answer.value) ? (answer.value.result ?? null) : answer.value;
  if (status === 204 || status === 304 || (route.empty && !answer.isError) || value === "")
    return { status, headers: moved, body: undefined, gap: false };
  const isJson = typeof value !== "string" || /[/+]json\b/.test(route.type);
  const text = typeof value === "string" && !isJson ? value : JSON.stringify(value);
  const type = isJson ? (/[/+]json\b/.test(route.type) ? route.type : "application/json") : route.type;
  return { status, headers: { ...moved, "content-type": `${type}; charset=utf-8` }, body: own(text), gap: false };
}

/** The answer where nothing is known: 501, never a made-up success. */
export function notServed(route: string | null): HttpAnswer {
  return json(
    501,
    { error: "not_served", reason: "This door has no evidence of how the API answers this.", route },
    true,
  );
}

function json(status: number, body: unknown, gap: boolean): HttpAnswer {
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, body: JSON.stringify(body), gap };
}

function errorStatus(grammar: HttpGrammar, route: HttpRoute, answer: WorldAnswer): number {
  const signature = errorSignature(answer.value);
  const known = route.errors[signature] ?? statedStatus(answer.value);
  if (known !== undefined) return known;
  for (const each of grammar.routes) if (each.errors[signature] !== undefined) return each.errors[signature];
  const byClass = BY_CLASS.find(([pattern]) => pattern.test(answer.answerClass))?.[1];
  return byClass ?? route.statuses.find((status) => status >= 400) ?? 400;
}
