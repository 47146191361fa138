import { expect, it } from "vitest";
import { withoutSecrets } from "../../../../chapters/evidence/intake/secrets.ts";
import { bothSurfaces, type TestApp } from "../../../helpers/app.ts";
import { twoGroups } from "../../exports/delivery-kit.ts";

/** Split, so that no scanner takes this file for a leak. */
const KEY = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`;
const HOSTILE = "<script>alert(1)</script> [away](https://elsewhere.example/)";

const open = (app: TestApp, link: string, method = "GET") => app.rest(method, new URL(link).pathname);

bothSurfaces("a report keeps showing what it froze, and its link is opened, counted and stopped", async (invoke, t) => {
  const { group, environment } = await twoGroups(invoke, t);
  const made = await invoke("reports_post", { kind: "run_group", id: group, made_by: "ann" }, t.org.push);
  expect(made).toMatchObject({
    status: 201,
    body: { kind: "run_group", source: group, made_by: "ann", opens: 0, shared: false, share: { on: false } },
  });
  const report: string = made.body.id;
  const { page } = made.body;
  expect(page.verdict.text).toContain("met 0 of 4 valid trials");
  const packet = await invoke("reports_post", { kind: "packet", id: environment, title: "The shop" });
  expect(packet).toMatchObject({ status: 201, body: { title: "The shop", page: { title: "The shop" } } });
  expect((await invoke("reports_post", { kind: "run_group", id: group }, t.org.read)).status).toBe(403);

  const shared = await invoke("reports_share", { report_id: report, on: true }, t.org.push);
  expect(shared).toMatchObject({ status: 200, body: { shared: true, share: { on: true, named: false } } });
  const { link } = shared.body;
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/r\/svc_share_[\w-]{43}$/);
  const shown = await open(t.app, link);
  expect(shown.status).toBe(200);
  expect(shown.text).toContain("met 0 of 4 valid trials");
  expect(shown.text).not.toContain("acme");
  expect(shown.text).not.toContain("<script");
  expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  expect(shown.headers.get("referrer-policy")).toBe("no-referrer");
  expect(shown.headers.get("x-robots-tag")).toContain("noindex");
  expect([shown.headers.get("set-cookie"), shown.headers.get("cache-control")]).toEqual([null, "no-store"]);
  expect((await open(t.app, link, "HEAD")).status).toBe(200);

  const named = await invoke("reports_share", { report_id: report, on: true, named: true });
  expect(named.body).toMatchObject({ link: null, share: { named: true } });
  expect((await open(t.app, link)).text).toContain("acme, made");
  const listed = await invoke("reports_list", { kind: "run_group" }, t.org.read);
  expect(listed.body.reports).toMatchObject([{ id: report, opens: 2, shared: true }]);
  for (const answer of [listed, await invoke("reports_get", { report_id: report }), await invoke("org_records", {})])
    expect(JSON.stringify(answer.body)).not.toContain("svc_share_");

  const off = await invoke("reports_share", { report_id: report, on: false });
  expect(off.body).toMatchObject({ shared: false, link: null });
  const [stopped, unknown] = [await open(t.app, link), await open(t.app, `${link.slice(0, -4)}AAAA`)];
  const malformed = await open(t.app, "http://x/r/anything/else");
  for (const none of [unknown, malformed]) expect([none.status, none.text]).toEqual([404, stopped.text]);
  const plain = (headers: Headers) => [...headers].filter(([name]) => name !== "date");
  expect(plain(unknown.headers)).toEqual(plain(stopped.headers));
  const again = (await invoke("reports_share", { report_id: report, on: true })).body.link;
  expect(again).not.toBe(link);
  expect([(await open(t.app, link)).status, (await open(t.app, again)).status]).toEqual([404, 200]);
  expect((await open(t.app, again, "POST")).status).toBe(404);

  const read = await invoke("reports_get", { report_id: report }, t.org.read);
  expect(read.body.page).toEqual(page);
  const acts = (await t.app.service.store.forOrg(t.org.id).audit.list()).items.map(({ act }) => act);
  expect(acts).toEqual(expect.arrayContaining(["report_made", "report_shared", "report_unshared"]));
});

bothSurfaces("a written report loses its secrets and does nothing to its reader", async (invoke, t) => {
  const post = (args: object) => invoke("reports_post", { kind: "written", ...args });
  const made = await post({ title: "Our week", markdown: `# Findings\n${HOSTILE}\nkey ${KEY} and ${t.org.admin}` });
  expect(made.status).toBe(201);
  const text = JSON.stringify(made.body);
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(t.org.admin);
  expect(text).toContain("[removed: github]");
  expect(text).toContain("2 secrets were taken out");
  const named = await post({ title: "t", markdown: "words", made_by: "Ann" });
  expect(JSON.stringify(named.body.page)).toContain("Written by Ann, as the token acme-admin says (tier: human)");
  // Finding C18.
  const planted = [
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "sk-abcdefghijklmnopqrstuvwx",
    "ann.lee@example.co.uk",
    "+49 30 1234567",
    "(415) 555-0100",
    "415-555-0199",
  ];
  const figures = "Met 12 of 40 on 2026-11-20 at 10:15, p 0.034; 1,204 calls, 99.5 %; rows 100 200 300.";
  const shared = await post({ title: "For ann.lee@example.co.uk", markdown: `${figures}\n${planted.join("\n")}` });
  for (const each of planted) expect(JSON.stringify(shared.body), each).not.toContain(each);
  expect(JSON.stringify(shared.body)).toContain(figures);
  expect(JSON.stringify(shared.body)).toContain("5 addresses and numbers of people were taken out");
  const { link } = (await invoke("reports_share", { report_id: made.body.id, on: true })).body;
  const shown = (await open(t.app, link)).text;
  expect(shown).toContain("&lt;script&gt;alert(1)");
  expect(shown).not.toMatch(/<script|href="https?:/);

  for (const bad of [
    { title: "t", markdown: " \n " },
    { title: "t", markdown: "x".repeat(60_001) },
    { title: "t" },
    { markdown: "words" },
    { title: "t", markdown: "words", id: "rg_1" },
    { kind: "run_group" },
    { kind: "run_group", id: "rg_1", markdown: "words" },
    { kind: "weekly", title: "t", markdown: "words" },
  ])
    expect(await post(bad), JSON.stringify(bad).slice(0, 60)).toMatchObject({ status: 400 });
  for (const kind of ["run_group", "packet", "provider_comparison"])
    expect((await post({ kind, id: "xx_none" })).status).toBe(404);
  expect((await invoke("reports_list", {})).body.reports).toHaveLength(3);
  expect((await invoke("reports_share", { report_id: made.body.id, on: true }, t.org.read)).status).toBe(403);
  expect((await invoke("reports_share", { report_id: "rp_none", on: true })).status).toBe(404);
});

it("takes secrets out where they stand and leaves the rest", async () => {
  expect(await withoutSecrets("nothing here")).toEqual({ text: "nothing here", removed: 0 });
  const two = await withoutSecrets(`a ${KEY} b ${KEY} c`);
  expect(two).toEqual({ text: "a [removed: github] b [removed: github] c", removed: 2 });
});
