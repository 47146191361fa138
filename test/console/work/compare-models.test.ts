import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RunGroup } from "../../../chapters/records/runs/runs.ts";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { endOf } from "../../tools/runs/kit.ts";
import { hrefs, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

const PLACE = "/console/providers";

let worked: Worked;
let provider: FakeProvider;
let ann: Browser;
let pins: { id: string; label: string }[];
beforeAll(async () => {
  provider = await startProvider();
  worked = await workedIn(provider.config);
  ({ browser: ann } = await memberIn(worked, worked.invoke, "ann"));
  ({ pins } = (await worked.invoke("providers_get")).body);
});
afterAll(async () => {
  await worked.close();
  await provider.close();
});

const compared = async () => (await worked.invoke("comparisons_list")).body.comparisons;
const planOf = (more: Record<string, string>, of = [0, 1]) =>
  `${PLACE}?${new URLSearchParams([...of.map((i) => ["pin", pins[i]?.id ?? ""]), ...Object.entries({ environment: worked.environment, ...more })])}`;
const alertOf = (page: BrowserPage) => page.root.querySelector("[role=alert]")?.text;

it("models are ticked, priced before anything starts, compared, and found again from runs and from a run", async () => {
  expect(hrefs(await ann.get("/console/groups"))).toContain(PLACE);
  const page = await ann.get(PLACE);
  const ticks = page.root.querySelectorAll("input[name=pin]").map((each) => each.getAttribute("value"));
  expect(ticks).toEqual([pins[0]?.id, pins[1]?.id]);
  // A model without a price cannot be ticked, and says why.
  expect(page.text).toContain("openai-compatible 2: no price is known");
  expect(page.text).not.toContain("openai-compatible/small");
  const plan = await ann.get(planOf({ tasks: "0, 1", timeout_seconds: "77" }));
  // 40,000 tokens in and 2,500 out a trial, at 1 and 10, and at 2 and 20 dollars a million: two trials of each.
  expect(plan.root.querySelector("section .verdict")?.text).toBe("2 models on 2 tasks: 4 trials, about $0.39.");
  expect(sectionOf(plan, "What was compared").text).toContain("No models have been compared yet");
  expect(await compared()).toEqual([]);
  provider.say(...Array.from({ length: 4 }, () => ({ text: "I do not know.", tokens: [1000, 10] as const })));
  const shown = await ann.submit(plan, PLACE);
  expect(shown.root.querySelector("h1")?.text).toMatch(/^Models compared on /);
  const [{ id, by }] = await compared();
  expect(by).toBe("ann");
  // What was chosen goes along: the tasks, the tries and the time.
  const again = hrefs(shown).find((href) => href.startsWith(`${PLACE}?`) && href.includes("pin=")) ?? "";
  const asked = new URL(again, "http://service").searchParams;
  expect([asked.get("tasks"), asked.get("trials"), asked.get("timeout_seconds")]).toEqual(["0 1", "1", "77"]);
  expect((await ann.get(again)).root.querySelector("section .verdict")?.text).toBe(
    "2 models on 2 tasks: 4 trials, about $0.39.",
  );
  const { pins: played } = (await worked.invoke("provider_comparison", { pcid: id })).body;
  for (const { group } of played) {
    expect(await endOf(worked.invoke, group)).toBe("landed");
    expect(hrefs(await ann.get(`/console/groups/${group}`))).toContain(`${PLACE}/${id}`);
    // What the model did can be run once more from its run, with its model and price.
    const ways = hrefs(await ann.get(`/console/groups/${group}/live`)).filter((href) => href.includes("/start?"));
    const plans = await Promise.all(ways.map((way) => ann.get(way)));
    expect(plans.map((plan) => plan.root.querySelector("section .verdict")?.text)).toEqual(
      Array.from(plans, () => expect.stringMatching(/^react \S+ on 2 tasks: 2 trials\.$/)),
    );
    expect(ways).toHaveLength(2);
    for (const plan of plans) {
      expect(plan.text).toMatch(/About \$0\.(?:13|26), at the model's price/);
      expect(carried(plan, "/console/start")).toMatchObject({ player: "harness:react" });
      expect(plan.root.querySelector("select[name=player] option[selected]")?.text).toMatch(/^react .* \(built in\)$/);
    }
  }
  expect(hrefs(await ann.get(`/console/groups/${worked.group}`))).not.toContain(`${PLACE}/${id}`);
  for (const path of ["/console/groups", PLACE]) {
    const list = await ann.get(path);
    expect(hrefs(list), path).toContain(`${PLACE}/${id}`);
    expect(list.text, path).toContain("2 models: openai-compatible 1, anthropic 1");
  }
  const [{ group = "" } = {}] = played;
  const [way = ""] = hrefs(await ann.get(`/console/groups/${group}/live`)).filter((href) => href.includes("group="));
  provider.say(...Array.from({ length: 2 }, () => ({ text: "I do not know.", tokens: [1000, 10] as const })));
  expect((await ann.submit(await ann.get(way), "/console/start")).status).toBe(200);
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const [newest] = (await records.list(RunGroup, { limit: 1 })).items;
  const before = await records.get(RunGroup, group);
  expect([newest?.id === group, newest?.player]).toEqual([false, before?.player]);
  // A list that is narrowed is of runs alone.
  expect(hrefs(await ann.get("/console/groups?who=agent"))).not.toContain(`${PLACE}/${id}`);
  const [row] = parse((await ann.get(`${PLACE}/file`)).html, { columns: true }) as Record<string, string>[];
  expect(row).toMatchObject({ comparison: id, tasks: "2", started_by: "ann" });
});

it("what would be refused is told beside the form, and nothing starts", async () => {
  const before = (await compared()).length;
  for (const [more, of, why] of [
    [{}, [0], "tick two models or more"],
    [{}, [0, 2], "A pin has no key or no price"],
    [{ trials: "0" }, [0, 1], "trials"],
    [{ tasks: "99" }, [0, 1], "task"],
    [{ environment: "env_none" }, [0, 1], "environment"],
  ] as const) {
    const page = await ann.get(planOf(more, [...of]));
    expect([page.status, alertOf(page)], why).toEqual([200, expect.stringContaining(why)]);
  }
  const { browser: viewer } = await memberIn(worked, worked.invoke, "vi", "viewer");
  const page = await viewer.get(planOf({ tasks: "0" }));
  expect(page.root.querySelectorAll("main form[method=post]")).toEqual([]);
  const sent = { environment: worked.environment, pin: `${pins[0]?.id},${pins[1]?.id}` };
  expect((await viewer.post(PLACE, sent)).status).toBe(403);
  expect(await compared()).toHaveLength(before);
});
