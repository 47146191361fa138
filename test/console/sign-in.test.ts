import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { INVITE_SECONDS } from "../../chapters/organization/invites.ts";
import { SESSION_IDLE, SESSION_LIFE } from "../../chapters/organization/sessions.ts";
import { type AppOptions, FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { Browser, carried } from "../helpers/browser.ts";

const SESSION = "svc_session";
let app: TestApp;
let org: TestOrg;

async function start(options: AppOptions = {}): Promise<void> {
  app = await startApp({ jobs: false, ...options });
  org = await app.org();
}

/** One service for the tests of a group, with a clock of its own. */
function oneService(): FakeClock {
  const clock = new FakeClock();
  beforeAll(() => start({ clock }));
  afterAll(() => app.close());
  return clock;
}

const invoke = (tool: string, args: Record<string, unknown> = {}, as?: string) =>
  invoker(app, "rest", org)(tool, args, as);

/** Adds a member; their id and the path of their link. */
async function invited(email = "ann@example.com", role = "member"): Promise<{ id: string; link: string }> {
  const { body } = await invoke("members_post", { email, name: email.split("@")[0], role });
  return { id: body.id, link: new URL(body.invite.url).pathname };
}

async function signedIn(email?: string, role?: string): Promise<{ browser: Browser; id: string }> {
  const { id, link } = await invited(email, role);
  const browser = new Browser(app.url);
  expect(await browser.post(link, {})).toMatchObject({ status: 303, location: "/console" });
  return { browser, id };
}

const acts = async () =>
  (await app.service.store.forOrg(org.id).audit.list()).items.map(({ act, by }) => `${act} ${by}`);

describe("an invite link", () => {
  const clock = oneService();

  it("signs one person in once, by its button and not by being looked at", async () => {
    const { id, link } = await invited();
    const browser = new Browser(app.url);
    for (let look = 0; look < 2; look++) {
      const page = await browser.get(link);
      expect(page.status).toBe(200);
      expect(page.text).toContain("Sign in as ann");
      expect(browser.cookies.size).toBe(0);
    }
    expect((await browser.get("/console")).status).toBe(401);
    expect(await browser.post(link, {})).toMatchObject({ status: 303, location: "/console" });
    expect(browser.cookies.get(SESSION)?.attributes).toMatch(/Path=\/; .*HttpOnly; SameSite=Lax/);
    expect(browser.cookies.get(SESSION)?.attributes).not.toContain("Secure");
    const home = await browser.get("/console");
    expect([home.status, home.text.includes("Workspace acme")]).toEqual([200, true]);

    const other = new Browser(app.url);
    for (const again of [await other.get(link), await other.post(link, {})]) {
      expect(again.status).toBe(404);
      expect(again.text).toContain("Ask an admin of your org");
    }
    expect(other.cookies.size).toBe(0);
    expect(await acts()).toContain("member_signed_in console");
    expect(id).toMatch(/^mb_/);
    const secrets = [link.split("/").at(-1) ?? "", browser.cookies.get(SESSION)?.value ?? ""];
    const files = readdirSync(app.dataDir).filter((name) => name.startsWith("store.db"));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files)
      for (const secret of secrets) expect(readFileSync(join(app.dataDir, name)).includes(secret)).toBe(false);
  });

  it("lets one of two at once in", async () => {
    const { link } = await invited("bob@example.com");
    const both = await Promise.all([new Browser(app.url), new Browser(app.url)].map((each) => each.post(link, {})));
    expect(both.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  it("ends by time, by a newer one, and with its member", async () => {
    const { id, link } = await invited("cy@example.com");
    const status = async (path: string) => (await new Browser(app.url).post(path, {})).status;
    clock.advance(INVITE_SECONDS - 1);
    expect((await new Browser(app.url).get(link)).status).toBe(200);
    clock.advance(1);
    expect((await new Browser(app.url).get(link)).status).toBe(404);
    expect(await status(link)).toBe(404);

    const asked = { email: "CY@example.com" };
    const invite = (body: unknown, token = app.operator) =>
      app.rest("POST", "/v0/operator/orgs/acme/invites", body, token);
    expect((await invite(asked, org.admin)).status).toBe(403);
    expect((await invite({ email: "nobody@example.com" })).status).toBe(404);
    const [first, second] = [await invite(asked), await invite(asked)];
    expect(second).toMatchObject({ status: 201, body: { org: "acme", member: id } });
    expect(await status(new URL(first.body.url).pathname)).toBe(404);
    expect((await new Browser(app.url).get(new URL(second.body.url).pathname)).status).toBe(200);
    await invoke("members_delete", { mid: id });
    expect(await status(new URL(second.body.url).pathname)).toBe(404);
    expect(await status("/console/invite/svc_invite_guess")).toBe(404);
  });
});

describe("a session", () => {
  const clock = oneService();

  it("is always a new one: what the browser held before opens nothing", async () => {
    const { link } = await invited();
    const victim = new Browser(app.url);
    const planted = "svc_session_planted-by-somebody-else";
    victim.cookies.set(SESSION, { value: planted, path: "/", attributes: "" });
    await victim.post(link, {});
    const held = victim.cookies.get(SESSION)?.value ?? "";
    expect(held).not.toBe(planted);
    const thief = new Browser(app.url);
    thief.cookies.set(SESSION, { value: planted, path: "/", attributes: "" });
    expect((await thief.get("/console")).status).toBe(401);

    // Signing in again ends the session before.
    const again = await invited("bob@example.com");
    await victim.post(again.link, {});
    thief.cookies.set(SESSION, { value: held, path: "/", attributes: "" });
    expect((await thief.get("/console")).status).toBe(401);
    expect((await victim.get("/console/you")).text).toContain("bob@example.com");
  });

  it("ends when it is not used, when it is old, and when it is left", async () => {
    const { browser } = await signedIn("dan@example.com");
    const status = async () => (await browser.get("/console/you")).status;
    const began = clock.now();
    for (; clock.now() + SESSION_IDLE - 1 < began + SESSION_LIFE; clock.advance(SESSION_IDLE - 1))
      expect(await status()).toBe(200);
    expect(await status()).toBe(200);
    clock.advance(began + SESSION_LIFE - clock.now());
    expect(await status()).toBe(401);

    const { browser: idle } = await signedIn("eli@example.com");
    clock.advance(SESSION_IDLE);
    expect((await idle.get("/console/you")).status).toBe(401);

    const { browser: left } = await signedIn("fay@example.com");
    const held = left.cookies.get(SESSION);
    const you = await left.get("/console/you");
    const out = await left.submit(you, "/console/sign-out");
    expect(out.text).toContain("You are signed out");
    expect(left.cookies.size).toBe(0);
    if (held) left.cookies.set(SESSION, held);
    expect((await left.get("/console/you")).status).toBe(401);
  });

  it("ends with its member at once, and follows their role", async () => {
    const { browser, id } = await signedIn("gus@example.com");
    const boss = await signedIn("boss@example.com", "admin");
    expect((await browser.get("/console/members")).status).toBe(403);
    await invoke("members_patch", { mid: id, role: "admin" });
    const page = await browser.get("/console/members");
    expect(page.status).toBe(200);
    await invoke("members_patch", { mid: id, role: "member" });
    const refused = await browser.submit(page, "/console/members", { name: "Eve", email: "eve@example.com" });
    expect(refused.status).toBe(403);
    const emails = (await invoke("members_list")).body.members.map((each: { email: string }) => each.email);
    expect([emails.includes("boss@example.com"), emails.includes("eve@example.com")]).toEqual([true, false]);

    const list = await boss.browser.get("/console/members");
    expect(list.html).not.toContain(`/console/members/${boss.id}/remove`);
    // What can be done stands beside the name, where a phone shows it.
    const beside = list.root.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td").slice(0, 2));
    expect(beside.some(([name]) => /\(you\)boss/.test(name?.text.replaceAll(/\s/g, "") ?? ""))).toBe(true);
    expect(beside.some(([, acts]) => /Make a sign-in link[\s\S]*Remove/.test(acts?.text ?? ""))).toBe(true);
    // What takes somebody away looks like nothing else.
    const buttons = (kind: string) =>
      list.root.querySelectorAll(`td button${kind}`).map(({ parentNode }) => parentNode?.getAttribute("action") ?? "");
    expect(buttons("").some((place) => place.endsWith("/remove"))).toBe(false);
    // It is asked about first: what removes lies folded, with what it does beside it.
    const remove = list.root.querySelector('form[action$="/remove"]');
    expect(remove?.querySelector("details > summary")?.text).toBe("Remove");
    expect(remove?.querySelector("details")?.hasAttribute("open")).toBe(false);
    expect(remove?.querySelector("details > p")?.text).toContain("is signed out everywhere");
    expect(remove?.querySelector("details > button.removes")?.text).toBe("Yes: Remove");
    const own = { token: carried(list, "/console/members").token ?? "" };
    expect((await boss.browser.post(`/console/members/${boss.id}/remove`, own)).status).toBe(409);
    await boss.browser.submit(list, `/console/members/${id}/remove`);
    expect((await browser.get("/console")).status).toBe(401);
    expect(await acts()).toContain(`member_removed member:${boss.id}`);
  });

  it("is no credential of the API", async () => {
    const { browser } = await signedIn("head@example.com", "admin");
    for (const path of ["/v0/whoami", "/v0/orgs/acme/members", "/mcp"])
      expect((await browser.get(path)).status, path).toBe(401);
    const held = browser.cookies.get(SESSION)?.value ?? "";
    expect((await app.rest("GET", "/v0/whoami", undefined, held)).status).toBe(401);
  });
});

describe("a form", () => {
  oneService();

  it("needs its session's token and this service's own page", async () => {
    const { browser, id } = await signedIn();
    const other = await signedIn("bob@example.com");
    const token = carried(await browser.get("/console/you"), "/console/you").token ?? "";
    const foreign = carried(await other.browser.get("/console/you"), "/console/you").token ?? "";
    const port = Number(new URL(app.url).port);
    const optedOut = async () => {
      const { members } = (await invoke("members_list")).body;
      return members.find((member: { id: string }) => member.id === id).email_opt_out;
    };
    const refused: [Record<string, string>, Record<string, string>][] = [
      [{}, {}],
      [{ token: "" }, {}],
      [{ token: `${token}x` }, {}],
      [{ token: foreign }, {}],
      [{ token }, { origin: "https://elsewhere.example" }],
      [{ token }, { origin: `http://127.0.0.1:${port + 1}` }],
      [{ token }, { origin: "null" }],
      [{ token }, { origin: "" }],
      [{ token }, { "sec-fetch-site": "cross-site" }],
      [{ token }, { "sec-fetch-site": "same-site" }],
    ];
    for (const [fields, headers] of refused) {
      const page = await browser.post("/console/you", fields, headers);
      expect([page.status, page.root.querySelector("h1")?.text], JSON.stringify(headers)).toEqual([403, "Not allowed"]);
    }
    expect((await browser.post("/console/you", { token }, { "content-type": "application/json" })).status).toBe(400);
    expect(await optedOut()).toBe(false);
    expect((await browser.post("/console/you", { token })).status).toBe(303);
    expect(await optedOut()).toBe(true);
    await browser.post("/console/you", { token, mail: "yes" });
    expect(await optedOut()).toBe(false);
    // A page elsewhere cannot sign somebody in to another's org either.
    const { link } = await invited("cy@example.com");
    for (const origin of ["https://elsewhere.example", `http://127.0.0.1:${port + 1}`, ""])
      expect((await new Browser(app.url).post(link, {}, { origin })).status).toBe(403);
    expect((await new Browser(app.url).post(link, {})).status).toBe(303);
  });
});

describe("what members do for themselves and for others", () => {
  oneService();

  it("every page and every refusal is kept by nobody, framed by nobody and asks for nothing from outside", async () => {
    const { browser } = await signedIn("boss@example.com", "admin");
    const places = [
      "",
      "/you",
      "/groups",
      "/failure-modes",
      "/reports",
      "/surfaces",
      "/spend",
      "/delivery",
      "/members",
    ];
    const pages = await Promise.all([
      ...[...places, "/tokens", "/coverage", "/nothing", "/groups/rg_none"].map((place) =>
        browser.get(`/console${place}`),
      ),
      new Browser(app.url).get("/console"),
      new Browser(app.url).get((await invited("bob@example.com")).link),
    ]);
    expect(pages.map(({ status }) => status)).toEqual([...new Array(11).fill(200), 404, 404, 401, 200]);
    for (const { headers, html } of pages) {
      expect(headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(headers["content-security-policy"]).toMatch(
        /^default-src 'none'; .*form-action 'self'.*frame-ancestors 'none'$/,
      );
      expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "same-origin" });
      expect(headers["x-robots-tag"]).toContain("noindex");
      // One script of this service's own at most, and nothing that runs where it stands.
      expect(html).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
      expect(html.match(/<script[\s\S]*?<\/script>|[^-\w]src=\S+/g) ?? []).toEqual(
        html.includes("<script")
          ? [expect.stringMatching(/^<script type="module" src="\/console\/islands\/\w{16}\/islands\.js"><\/script>$/)]
          : [],
      );
    }
  });

  it("a member makes a link for another device, and signs out everywhere", async () => {
    const { browser } = await signedIn();
    const you = await browser.get("/console/you");
    const told = await browser.submit(you, "/console/you/link");
    const link = told.root.querySelector("[role=status] pre")?.text ?? "";
    const phone = new Browser(app.url);
    expect((await phone.post(new URL(link).pathname, {})).status).toBe(303);
    expect((await phone.get("/console/you")).text).toContain("ann@example.com");
    await browser.submit(you, "/console/you/sign-out-everywhere");
    for (const each of [browser, phone]) expect((await each.get("/console/you")).status).toBe(401);
  });

  it("an admin adds members and makes tokens, each secret shown once", async () => {
    const { browser, id } = await signedIn("chief@example.com", "admin");
    const added = await browser.submit(await browser.get("/console/members"), "/console/members", {
      name: "<b>Eve</b>",
      email: "eve@example.com",
      role: "member",
    });
    const link = added.root.querySelector("[role=status] pre")?.text ?? "";
    expect(link).toContain("/console/invite/svc_invite_");
    expect((await browser.get("/console/members")).html).not.toContain("svc_invite_");
    expect(added.html).not.toContain("<b>Eve");
    expect(added.text).toContain("<b>Eve</b>");
    const twice = await browser.submit(added, "/console/members", { name: "E", email: "eve@example.com" });
    expect([twice.status, twice.text.includes("already")]).toEqual([409, true]);
    const wrong = await browser.submit(added, "/console/members", { name: "E", email: "no address" });
    expect([wrong.status, wrong.text.includes("Email:")]).toEqual([400, true]);

    const made = await browser.submit(await browser.get("/console/tokens"), "/console/tokens", {
      name: "ci",
      scope: "read",
      expires_in_days: "7",
    });
    const token = made.root.querySelector("[role=status] pre")?.text ?? "";
    expect((await app.rest("GET", "/v0/whoami", undefined, token)).body).toMatchObject({ name: "ci", scope: "read" });
    const [row] = (await invoke("org_tokens_list")).body.tokens;
    expect(row).toMatchObject({ name: "ci", created_by: "chief" });
    const list = await browser.get("/console/tokens");
    expect(list.html).not.toContain(token);
    await browser.submit(list, `/console/tokens/${row.id}/revoke`);
    expect((await app.rest("GET", "/v0/whoami", undefined, token)).status).toBe(401);
    expect(await acts()).toContain(`token_revoked member:${id}`);
  });
});

describe("a service of its own", () => {
  afterEach(() => app.close());

  it("is tried from one address so many times a minute", async () => {
    await start();
    const browser = new Browser(app.url);
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push((await browser.get(`/console/invite/svc_invite_${i}`)).status);
    expect(statuses.slice(0, 30).every((status) => status === 404)).toBe(true);
    const last = await browser.get("/console/invite/svc_invite_x");
    expect([statuses[30], last.status]).toEqual([429, 429]);
    expect(Number(last.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("is held out of reach of other hosts where the service is at an https address", async () => {
    await start({ config: { publicUrl: "https://eval.example", allowedHosts: ["eval.example"] } });
    const { body } = await invoke("members_post", { email: "ann@example.com", name: "ann" });
    expect(body.invite.url).toMatch(/^https:\/\/eval\.example\/console\/invite\//);
    const browser = new Browser(app.url);
    const origin = { origin: "https://eval.example" };
    expect((await browser.post(new URL(body.invite.url).pathname, {}, origin)).status).toBe(303);
    expect(browser.cookies.get("__Host-svc_session")?.attributes).toMatch(/Path=\/; .*HttpOnly; Secure; SameSite=Lax/);
    expect((await browser.get("/console/you")).status).toBe(200);
  });
});
