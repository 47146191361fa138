import { type HTMLElement, parse } from "node-html-parser";
import { request } from "undici";

/** A page as a browser without scripts has it. */
export interface BrowserPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly html: string;
  readonly root: HTMLElement;
  /** Where it sends the browser; undefined where it does not. */
  readonly location: string | undefined;
  /** The text of the page, without its head. */
  readonly text: string;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

/** A browser without scripts: it keeps cookies, tells its origin with a form, and follows what it is told to follow. */
export class Browser {
  readonly cookies = new Map<string, Cookie>();
  readonly #base: string;
  constructor(base: string) {
    this.#base = base;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<BrowserPage> {
    return this.#ask("GET", path, undefined, headers);
  }

  /** Posts fields as a form; `headers` stand in for what a browser would tell, an empty one is left out. */
  post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ): Promise<BrowserPage> {
    const told = { origin: this.#base, "sec-fetch-site": "same-origin", ...headers };
    const kept = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== ""));
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return this.#ask("POST", path, new URLSearchParams(fields).toString(), { ...type, ...kept });
  }

  /** Sends a form of a page with what it carries and what is filled in, and goes where that leads. */
  async submit(page: BrowserPage, action: string, fields: Record<string, string> = {}): Promise<BrowserPage> {
    return this.follow(await this.post(action, { ...carried(page, action), ...fields }));
  }

  /** Goes where a page leads. */
  follow(page: BrowserPage): Promise<BrowserPage> | BrowserPage {
    return page.location === undefined ? page : this.get(page.location);
  }

  async #ask(method: "GET" | "POST", path: string, body: string | undefined, headers: Record<string, string>) {
    const url = new URL(path, this.#base);
    const held = [...this.cookies].filter(([, cookie]) => url.pathname.startsWith(cookie.path));
    const cookie = held.map(([name, { value }]) => `${name}=${value}`).join("; ");
    const res = await request(url, {
      method,
      headers: { ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of [res.headers["set-cookie"] ?? []].flat()) this.#take(line);
    const html = await res.body.text();
    const root = parse(html);
    const { location } = res.headers;
    return {
      status: res.statusCode,
      headers: res.headers,
      html,
      root,
      location: typeof location === "string" ? location : undefined,
      text: root.querySelector("body")?.structuredText ?? html,
    };
  }

  #take(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const name = pair.slice(0, pair.indexOf("="));
    const of = (wanted: string) =>
      attributes.find((each) => each.toLowerCase().startsWith(`${wanted}=`))?.split("=")[1];
    const expires = of("expires");
    if (expires !== undefined && Date.parse(expires) <= Date.now() && of("max-age") === undefined)
      this.cookies.delete(name);
    else
      this.cookies.set(name, {
        value: pair.slice(name.length + 1),
        path: of("path") ?? "/",
        attributes: attributes.join("; "),
      });
  }
}

/** What the form of this action carries along. Throws where the page has no such form. */
export function carried(page: BrowserPage, action: string): Record<string, string> {
  const of = page.root.querySelectorAll("form").filter((each) => each.getAttribute("action") === action);
  // A filter of a list is sent to the address that a form of its page is posted to.
  const form = of.find((each) => each.getAttribute("method") === "post") ?? of[0];
  if (!form) throw new Error(`no form of ${action} on: ${page.text.slice(0, 400)}`);
  const inputs = form.querySelectorAll("input").filter((each) => each.getAttribute("type") === "hidden");
  return Object.fromEntries(inputs.map((each) => [each.getAttribute("name") ?? "", each.getAttribute("value") ?? ""]));
}
