import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { CONSOLE } from "../frame.ts";
import type { Visit } from "../visit.ts";

type WithQuery = Pick<Visit, "query">;

/** One of a few values of the query string; undefined where it has none or another. */
export function oneOf<T extends string>({ query }: WithQuery, name: string, values: readonly T[]): T | undefined {
  return values.find((value) => value === query.get(name));
}

/** A text of the query string, at most `most` characters; undefined where it is empty. */
export function textOf({ query }: WithQuery, name: string, most = 500): string | undefined {
  return query.get(name)?.trim().slice(0, most) || undefined;
}

/** A number of the query string that is not negative; undefined where it has none. */
export function amountOf(visit: WithQuery, name: string): number | undefined {
  const value = Number(textOf(visit, name, 30) ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The address of the same list with some of its query changed; undefined takes a part out. A change leads to the first page. */
export function sameList(
  place: string,
  { query }: WithQuery,
  change: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(query);
  next.delete("cursor");
  for (const [name, value] of Object.entries(change))
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  for (const [name, value] of [...next]) if (value === "") next.delete(name);
  const text = next.toString();
  return `${CONSOLE}${place}${text === "" ? "" : `?${text}`}`;
}

/** The head of a column that sorts: its link asks for the other direction once it is sorted by. */
export function sortHead(
  place: string,
  visit: WithQuery,
  { name, down, up, now }: { readonly name: string; readonly down: string; readonly up: string; readonly now: string },
): { readonly name: string; readonly head: ComponentChild; readonly sorted?: "ascending" | "descending" } {
  const sorted = now === down ? ("descending" as const) : now === up ? ("ascending" as const) : undefined;
  const mark = sorted === "descending" ? " ▼" : sorted === "ascending" ? " ▲" : "";
  const href = sameList(place, visit, { sort: now === down ? up : down });
  return { name, head: html`<a href=${href}>${name}${mark}</a>`, ...(sorted === undefined ? {} : { sorted }) };
}

/** The form that narrows a list: it asks for the same page with other words. */
export function filterForm(place: string, visit: WithQuery, children: ComponentChildren): ComponentChild {
  const narrowed = [...visit.query].some(([name, value]) => name !== "cursor" && value !== "");
  return html`
    <form method="get" action=${CONSOLE + place} class="filter" role="search">
      ${children}
      <button class="plain">Show</button>
      ${narrowed && html`<a href=${CONSOLE + place}>Clear</a>`}
    </form>
  `;
}

/** A field of a filter: its label above it. */
export function filterField(label: string, input: (id: string) => ComponentChild, id: string): ComponentChild {
  return html`<div><label for=${id}>${label}</label>${input(id)}</div>`;
}

/** A text to filter by. */
export function filterText(
  visit: WithQuery,
  name: string,
  label: string,
  size = 18,
  /** Values that are offered; others can be typed. */
  offered: readonly string[] = [],
): ComponentChild {
  const value = visit.query.get(name) ?? "";
  const list = offered.length === 0 ? undefined : `${name}-offered`;
  return filterField(
    label,
    (id) => html`
      <input id=${id} name=${name} type="search" size=${size} value=${value} list=${list} autocomplete="off" />
      ${list !== undefined && html`<datalist id=${list}>${offered.map((each) => html`<option value=${each} />`)}</datalist>`}
    `,
    `by-${name}`,
  );
}

/** A choice to filter by; the first option is what stands when nothing is asked. */
export function filterChoice(
  visit: WithQuery,
  name: string,
  label: string,
  options: readonly { readonly value: string; readonly text: string }[],
): ComponentChild {
  const chosen = visit.query.get(name) ?? "";
  return filterField(
    label,
    (id) => html`
      <select id=${id} name=${name}>
        ${options.map(({ value, text }) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
      </select>
    `,
    `by-${name}`,
  );
}

/** An order of a list, in words, of rows that are at hand whole. */
export interface ListOrder<T> {
  readonly text: string;
  readonly by: (a: T, b: T) => number;
}

/** The words of an order as a sentence begins. */
export const atStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Older records first: ids are made in their order. */
export const older = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** The order that the query string names; the first of them where it names none. */
export function orderOf<T>(visit: WithQuery, orders: Readonly<Record<string, ListOrder<T>>>): ListOrder<T> {
  const named = oneOf(visit, "sort", Object.keys(orders));
  return orders[named ?? (Object.keys(orders)[0] as string)] as ListOrder<T>;
}

/** The choice of an order; the first is the one that needs no name. */
export function orderChoice<T>(visit: WithQuery, orders: Readonly<Record<string, ListOrder<T>>>): ComponentChild {
  const options = Object.entries(orders).map(([value, { text }], i) => ({ value: i === 0 ? "" : value, text }));
  return filterChoice(visit, "sort", "Order", options);
}

/** The ways to the first and to the next page of a list, with its filters kept. */
export function pages(place: string, visit: WithQuery, next: string | undefined): ComponentChild {
  const first = visit.query.has("cursor");
  if (!first && next === undefined) return null;
  return html`
    <p>
      ${first && html`<a href=${sameList(place, visit, {})}>First page</a> `}
      ${next !== undefined && html`<a rel="next" href=${sameList(place, visit, { cursor: next })}>Next page</a>`}
    </p>
  `;
}
