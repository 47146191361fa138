import { expect } from "vitest";
import { comparePage } from "../../../chapters/findings/pages/compare.ts";
import { groupPage } from "../../../chapters/findings/pages/group.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { connect, runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "an agent whose command ends at once is told of in every headline, with its error: run_group, compare_runs",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 2);
    const command = [process.execPath, "-e", "throw new Error('no module `agent` at https://a.example/x')"];
    const made = await invoke("agents_post", { kind: "command", name: "broken", command });
    const [a, b] = [await connect(invoke, shop, "one"), made.body.agent.id];
    const asked = { environment: shop.environment };
    const first = await runToEnd(invoke, { ...asked, agent: a });
    const second = await runToEnd(invoke, { ...asked, agent: b });
    const began = await invoke("run_group", { gid: first.group });
    expect(began.body).not.toHaveProperty("ended_at_once");
    const group = await invoke("run_group", { gid: second.group });
    const { ended_at_once: told } = group.body;
    // An agent's line may hold anything: no address and no mark-up of it goes into a headline.
    expect(told).toMatchObject({ trials: 2, of: 2, why: "exit status 1, Error" });
    const seen = await invoke("run_trace", { rid: told.run, trial: told.trial });
    expect(seen.body.tree.log).toContain("no module");
    const compared = await invoke("compare_runs", { a: first.group, b: second.group, format: "json" });
    const words = /the agent ended at once in 2 of 2 trials: exit status 1, Error; see run_trace/;
    const comparison = compared.body ?? JSON.parse(compared.file!);
    expect(comparison.verdict).toMatch(words);
    expect(comparison.b.ended_at_once).toEqual(told);
    const ctx = ctxOf(app.service, org);
    expect((await groupPage(ctx, second.group)).verdict?.text).toMatch(words);
    expect((await comparePage(ctx, first.group, second.group)).verdict?.text).toMatch(words);
    expect(group.verdict).toMatch(words);
  },
  OPEN_AGENTS,
);
