import { afterAll, beforeAll, expect, it } from "vitest";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { Browser } from "../helpers/browser.ts";
import { type ObsTool, startObs } from "../helpers/vendors/obs.ts";
import { memberIn } from "./kit.ts";

const START = { site: "datadoghq.com", consent: "granted", ml_app: "shop-bot", data_access: "full" };
let vendor: ObsTool;
let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
beforeAll(async () => {
  vendor = await startObs();
  const { id: clientId, secret: clientSecret } = vendor.client;
  const obs = { apiUrl: vendor.url, appUrl: "https://app.vendor.example", clientId, clientSecret };
  app = await startApp({ config: { sources: { obs, vcsApiUrl: undefined, traceStoreUrl: undefined } } as never });
  org = await app.org();
  invoke = invoker(app, "rest", org);
});
afterAll(async () => {
  await app.close();
  await vendor.close();
});

/** Where the vendor sends the person back to, as it does: the address it was given, with the code and the state. */
async function sentBack(answer: Record<string, string> = {}): Promise<string> {
  const { authorize_url, state } = (await invoke("sources_obs_oauth_start", START)).body;
  const back = new URL(new URL(authorize_url).searchParams.get("redirect_uri") ?? "");
  const given = answer.error === undefined ? { code: vendor.consent(authorize_url), domain: "datadoghq.com" } : answer;
  return `${back.pathname}?${new URLSearchParams({ state, ...given })}`;
}

// Finding A20.
it("a person's browser comes back from the vendor without a token, and the source is connected", async () => {
  const { browser } = await memberIn({ app }, invoke, "mei", "admin");
  const path = await sentBack();
  const back = await browser.get(path);
  expect(back.status).toBe(303);
  const page = await browser.get(back.location ?? "");
  expect([page.status, page.text]).toEqual([200, expect.stringContaining("is connected to acme")]);
  const { sources } = (await invoke("sources_list")).body;
  expect(sources).toMatchObject([{ auth_mode: "oauth", consent: "granted", scope: { ml_app: "shop-bot" } }]);
  const again = await browser.get(path);
  expect([again.status, again.text]).toEqual([400, expect.stringContaining("unknown, used or older")]);

  const refused = await browser.get(await sentBack({ error: "access_denied" }));
  expect((await browser.get(refused.location ?? "")).text).toContain("Nothing was connected");
});

it("nobody else ends what an org began: without a session, as a member, from another org", async () => {
  const path = await sentBack();
  expect((await new Browser(app.url).get(path)).status).toBe(401);
  const member = await memberIn({ app }, invoke, "bob");
  expect((await member.browser.get(path)).status).toBe(403);
  const other = await app.org("other");
  const theirs = await memberIn({ app }, invoker(app, "rest", other), "eve", "admin");
  expect((await theirs.browser.get(path)).status).toBe(400);
  expect((await invoker(app, "rest", other)("sources_list")).body.sources).toEqual([]);
  // Nothing of it was used up meanwhile.
  const { browser } = await memberIn({ app }, invoke, "ada", "admin");
  expect((await browser.get(path)).status).toBe(303);
});
