import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { holdsRefused, isRefused, refilled } from "./refused.ts";
import type { Visit } from "./visit.ts";

/** A form of the console, which carries the session's token; `place` is below the console's own address. */
export function postForm(
  { token, refused, member }: Pick<Visit, "token" | "refused"> & { readonly member?: Pick<Visit["member"], "role"> },
  place: string,
  button: string,
  children: ComponentChildren,
  options: {
    readonly plain?: boolean;
    /** What it takes away, in a sentence: it is said, and asked about, before the button that does it. */
    readonly removes?: string;
    readonly name?: string;
    /** What everybody does for themselves, whatever their role. */
    readonly own?: boolean;
    /** Its fields and its button stand beside each other, where the window is wide enough. */
    readonly row?: boolean;
  } = {},
): ComponentChild {
  const { name, plain, removes, row, own } = options;
  const again = refused !== undefined && isRefused(refused, place, children);
  if (again) refused.shown = true;
  const fields = again ? refilled(refused, children) : children;
  // It is shown, so that a page means the same to everybody; nothing in it can be pressed.
  if (member?.role === "viewer" && own !== true)
    return html`<fieldset disabled class=${row ? "row" : undefined} aria-label=${name}>${fields}<button type="button" class="plain">${button}</button></fieldset>`;
  return html`
    <form method="post" action="/console${place}" class=${row ? "row" : undefined} aria-label=${name} id=${again ? "refused" : undefined}>
      ${hidden("token", token)}${
        removes === undefined
          ? [fields, html`<button type="submit" class=${plain ? "plain" : undefined}>${button}</button>`]
          : html`
              <details class="sure" open=${again}><summary>${button}</summary>
                <p>${removes}</p>${fields}<button type="submit" class="plain removes">Yes: ${button}</button></details>
            `
      }
    </form>
  `;
}

/** A form whose own buttons say what is done by it. */
export function buttonsForm({ token, member }: Visit, place: string, children: ComponentChildren): ComponentChild {
  if (member.role === "viewer") return html`<fieldset disabled>${children}</fieldset>`;
  return html`<form method="post" action="/console${place}">${hidden("token", token)}${children}</form>`;
}

/** Forms beside each other: what can be done with one thing. */
export function formRow(...forms: ComponentChild[]): ComponentChild {
  return html`<div class="acts">${forms}</div>`;
}

/** A form that only asks for another page. */
export function getForm(
  place: string,
  button: string,
  children: ComponentChildren,
  { name, plain = true, row }: { readonly name?: string; readonly plain?: boolean; readonly row?: boolean } = {},
): ComponentChild {
  return html`<form method="get" action="/console${place}" class=${row ? "row" : undefined} aria-label=${name}>${children}<button class=${plain ? "plain" : undefined}>${button}</button></form>`;
}

/** A value that a form carries along. */
export function hidden(name: string, value: string): ComponentChild {
  return html`<input type="hidden" name=${name} value=${value} />`;
}

let last = 0;
const nextId = () => {
  last = (last + 1) % 1_000_000;
  return `field-${last}`;
};

/** A field of one line under its label. */
export function textField(
  name: string,
  label: string,
  options: {
    readonly value?: string;
    /** A `number` is an amount: not negative, with decimals. */
    readonly type?: "text" | "email" | "number";
    readonly required?: boolean;
    /** Characters that it shows at once. */
    readonly size?: number;
    /** Values that are offered; others can be typed. */
    readonly offered?: readonly string[];
  } = {},
): ComponentChild {
  const { value = "", type = "text", required = false, size = 40, offered = [] } = options;
  const id = nextId();
  const list = offered.length === 0 ? undefined : `${id}-offered`;
  const amount = type === "number" ? { min: 0, step: "any" } : {};
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input id=${id} name=${name} type=${type} value=${value} size=${size} list=${list} required=${required} autocomplete="off" ...${amount} />
      ${list !== undefined && html`<datalist id=${list}>${offered.map((each) => html`<option value=${each} />`)}</datalist>`}
    </div>
  `;
}

/** A field of many lines under its label. */
export function longField(
  name: string,
  label: string,
  options: {
    readonly value?: string;
    readonly rows?: number;
    readonly required?: boolean;
    readonly code?: boolean;
  } = {},
): ComponentChild {
  const { value = "", rows = 8, required = true, code = false } = options;
  const id = nextId();
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <textarea id=${id} name=${name} rows=${rows} required=${required} value=${value} class=${code ? "code" : undefined} style="width:100%" />
    </div>
  `;
}

/** A choice of one under its label. */
export function choice(
  name: string,
  label: string,
  options: readonly { readonly value: string; readonly text: string }[],
  chosen?: string,
): ComponentChild {
  const id = nextId();
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <select id=${id} name=${name}>
        ${options.map(({ value, text }) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
      </select>
    </div>
  `;
}

/** A box to tick; it is posted as `value`. */
export function tick(name: string, label: string, on: boolean, value = "yes"): ComponentChild {
  return html`<label><input type="checkbox" name=${name} value=${value} checked=${on} /> ${label}</label>`;
}

/** A part of a page with a heading of its own. */
export function block(heading: string, ...children: ComponentChildren[]): ComponentChild {
  return html`<section><h2>${heading}</h2>${children}</section>`;
}

/** A part of a page that is folded until it is asked for, or holds a form that was refused; a link to a place in it unfolds it. */
export function folded(heading: string, ...children: ComponentChildren[]): ComponentChild {
  return html`<details class="folded" open=${holdsRefused(children)}><summary>${heading}</summary>${children}</details>`;
}

/** What is told this once: a link or a token, whole and easy to select. */
export function shownOnce(what: string, value: string): ComponentChild {
  return html`<div role="status"><p>${what} It is shown this once.</p><pre tabindex="0">${value}</pre></div>`;
}
