import { Run, RunGroup } from "../../chapters/records/runs/runs.ts";
import type { Config } from "../../src/config.ts";
import { CONSOLE_ROUTES } from "../../src/console/routes.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { Browser, type BrowserPage } from "../helpers/browser.ts";
import { type ChatTool, startChatTool } from "../helpers/vendors/chat.ts";
import { twoGroups } from "../tools/exports/delivery-kit.ts";

/** A workspace in which something was run: two landed groups on the same tasks, and a chat channel that is on. */
export interface Worked {
  readonly app: TestApp;
  readonly org: TestOrg;
  readonly invoke: Invoke;
  readonly chat: ChatTool;
  /** The group that met every task, and the one that met none. */
  readonly main: string;
  readonly group: string;
  readonly environment: string;
  close(): Promise<void>;
}

/** Starts it, with models where some are given. */
export async function workedIn(models: Partial<Pick<Config, "models">> = {}): Promise<Worked> {
  const chat = await startChatTool();
  const nothing = { clientId: undefined, clientSecret: undefined, signingSecret: undefined, botToken: undefined };
  const app = await startApp({ config: { ...models, chat: { apiUrl: chat.apiUrl, ...nothing } } });
  const org = await app.org();
  const invoke = invoker(app, "rest", org);
  const groups = await twoGroups(invoke, { app, org });
  chat.grant({ id: "T0C", name: "acme-team", token: "xoxb-console", channels: ["C1"] }, "https://svc.example/");
  await invoke("chat_post", { team_id: "T0C", bot_token: "xoxb-console" });
  return {
    app,
    org,
    invoke,
    chat,
    ...groups,
    async close() {
      await app.close();
      await chat.close();
    },
  };
}

/** Addresses that are no page: a downloaded file, one that only leads on, a trial under way, leave that a vendor asks for. */
const NO_PAGE = /\/(?:json|file)$|^\/groups\/compare$|\/live\/:run\/|\/sessions$|^\/consent\//;

/** The pages of the console, by their routes, that none of these addresses below its own is of. */
export function pagesMissing(addresses: readonly string[]): string[] {
  const paths = addresses.map((address) => address.split("?")[0] || "/");
  return CONSOLE_ROUTES.filter(({ method, path }) => method === "GET" && !NO_PAGE.test(path))
    .map(({ path }) => path)
    .filter((path) => !paths.some((each) => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`).test(each)));
}

/** A browser in which a new member of the org is signed in, and their link's path. */
export async function memberIn({ app }: Pick<Worked, "app">, invoke: Invoke, name: string, role = "member") {
  const { body } = await invoke("members_post", { email: `${name}@example.com`, name, role });
  const browser = new Browser(app.url);
  const signedIn = await browser.post(new URL(body.invite.url).pathname, {});
  if (signedIn.status !== 303) throw new Error(signedIn.text);
  return { browser, id: body.id as string };
}

/** Makes the two groups those of two versions of one agent, `v1` of the one that met every task and `v2` of the other. */
export async function asVersions(
  { app, org, main, group }: Worked,
  name = "desk agent",
  agent = "ag_desk",
): Promise<void> {
  const { records } = app.service.store.forOrg(org.id);
  for (const [id, version] of [
    [main, "v1"],
    [group, "v2"],
  ] as const) {
    const player = { agent, name, version, harness: null };
    const doc = await records.update(RunGroup, id, (each) => ({ ...each, player, agent }));
    for (const { run } of doc?.runs ?? []) await records.update(Run, run, (each) => ({ ...each, player }));
  }
}

/** The addresses of a page. */
export const hrefs = (page: BrowserPage, within = "main") =>
  page.root.querySelectorAll(`${within} a`).map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));

/** The section below a heading. */
export function sectionOf(page: BrowserPage, heading: string): BrowserPage["root"] {
  const section = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === heading);
  if (!section) throw new Error(`no section ${heading}`);
  return section;
}

/** The addresses in the table below a heading. */
export const under = (page: BrowserPage, heading: string): string[] =>
  sectionOf(page, heading)
    .querySelectorAll("a")
    .map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
