import { expect } from "vitest";
import { comparePage } from "../../../chapters/findings/pages/compare.ts";
import { groupPage } from "../../../chapters/findings/pages/group.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { connect, runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "trials without isolation are told of in the headlines of their group and of a comparison: run_group, compare_runs",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 2);
    const [a, b] = [await connect(invoke, shop, "one"), await connect(invoke, shop, "other", "silent")];
    const asked = { environment: shop.environment };
    const [first, second] = [
      await runToEnd(invoke, { ...asked, agent: a }),
      await runToEnd(invoke, { ...asked, agent: b }),
    ];
    const group = await invoke("run_group", { gid: first.group });
    expect(group.body.isolation).toEqual({ bubblewrap: 0, none: 2, why: "SVC_ISOLATION is none." });
    const run = await invoke("run_get", { rid: group.body.environments[0].run });
    expect(run.body.isolation).toEqual(group.body.isolation);
    const compared = await invoke("compare_runs", { a: first.group, b: second.group });
    // A page says it in one short sentence, and of which trials and why where that is asked for.
    const ctx = ctxOf(app.service, org);
    const [one, two] = [await groupPage(ctx, first.group), await comparePage(ctx, first.group, second.group)];
    expect(two.verdict?.text).toMatch(/\. 4 of 4 trials ran without isolation\.$/);
    expect(two.verdict?.text.match(/isolation/g)).toHaveLength(1);
    for (const [page, agents] of [[one, 1] as const, [two, 2] as const]) {
      const facts = page.sections.flatMap((part) => (part.show === "facts" ? part.facts : []));
      expect(facts.find(({ name }) => name === "Ran without isolation")?.value).toMatchObject({ place: "isolation" });
      const rows = page.sections.flatMap((part) => ("place" in part && part.show === "table" ? part.rows : []));
      expect(rows.map((row) => row.slice(1))).toEqual(Array(agents).fill([2, 0, "SVC_ISOLATION is none."]));
    }
    expect(group.verdict).toContain("; 2 of 2 trials ran without isolation; the group is landed.");
    expect(compared.verdict?.match(/2 of 2 trials ran without isolation\./g)).toHaveLength(2);
  },
  OPEN_AGENTS,
);
