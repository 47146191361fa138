import { expect, it } from "vitest";
import { SharedWords } from "../../../chapters/evidence/anonymize/shared-words.ts";
import { outsideFinding } from "../../../chapters/findings/pages/outside.ts";
import type { Finding } from "../../../chapters/findings/render/finding.ts";
import { mailMessage } from "../../../chapters/findings/render/mail.ts";
import { findingOfGroups } from "../../../chapters/findings/reports/org-finding.ts";
import { changed } from "../../../worlds/tasks/draft.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { memberOf } from "../exports/delivery-kit.ts";
import { placeIn, runToEnd } from "../runs/kit.ts";

/** Who a request tells of: a customer of the world, by name, and by what stands in no row. */
const [id, customer] = Object.entries(shopRows.tables.customers ?? {})[0] as [string, Record<string, unknown>];
const { first_name: first, last_name: last } = customer.name as Record<string, string>;
const PEOPLE = [
  first,
  last,
  id,
  "W2378156",
  "ann.lee@example.co.uk",
  "AKIAIOSFODNN7EXAMPLE",
  "+49 30 1234567",
] as string[];
const REQUEST = `I am ${first} ${last}, ${id}, order #W2378156. My Desk Lamp did not arrive. Write to ann.lee@example.co.uk or +49 30 1234567; AKIAIOSFODNN7EXAMPLE.`;

// Finding E39.
bothSurfaces(
  "what goes out tells of nobody, the preview as what is sent, unless an admin says otherwise",
  async (invoke, t) => {
    const tasks = generateTasks(shop, shopRows, { seed: "1", count: 2 }).map((task) =>
      changed(task, { request: REQUEST }),
    );
    const { environment } = await placeIn(t.app.service, t.org.id, "shop", { bundle: shop, base: shopRows }, tasks);
    const main = (await runToEnd(invoke, { harness: "reference", environment })).group;
    const group = (await runToEnd(invoke, { harness: "null", environment })).group;
    await memberOf(invoke, t);
    const texts: Record<string, (args: object, token?: string) => Promise<{ status: number; body: unknown }>> = {
      "a run group's report": (args, token) => invoke("reports_post", { kind: "run_group", id: group, ...args }, token),
      "a comparison's report": (args, token) =>
        invoke("reports_post", { kind: "comparison", id: group, against: main, ...args }, token),
      "a packet": (args, token) => invoke("reports_post", { kind: "packet", id: environment, ...args }, token),
      "a chat message": (args, token) =>
        invoke("deliver_chat", { group, against: main, dry_run: true, ...args }, token),
      "a pull request's comment": (args, token) =>
        invoke("comment_on_pr", { gid: group, against: main, dry_run: true, ...args }, token),
      "a written report": (args, token) =>
        invoke("reports_post", { kind: "written", title: "t", markdown: REQUEST, ...args }, token),
    };
    for (const [what, post] of Object.entries(texts)) {
      const masked = await post({}, t.org.push);
      const text = JSON.stringify(masked.body);
      // A written report keeps figures, and ids that stand in no row: nobody but its writer tells whether they are somebody's.
      const gone = what === "a written report" ? PEOPLE.filter((each) => each !== "W2378156") : PEOPLE;
      for (const each of gone) expect(text, `${what}: ${each}`).not.toContain(each);
      expect(text, what).toContain("did not arrive");
      expect((await post({ redact: false }, t.org.push)).status, what).toBe(403);
      const whole = await post({ redact: false }, t.org.admin);
      expect(JSON.stringify(whole.body), what).toContain(`${first} ${last}`);
    }
    const ctx = ctxOf(t.app.service, t.org);
    const finding = (await findingOfGroups(ctx, main, group)) as Finding;
    const mail = JSON.stringify(mailMessage(await outsideFinding(ctx, finding)));
    for (const each of PEOPLE) expect(mail, each).not.toContain(each);
    expect(JSON.stringify(mailMessage(finding))).toContain(`${first} ${last}`);
  },
);

it("words and figures of a member stay, but for names of people in the rows", () => {
  const words = new SharedWords();
  words.learn({
    customers: [{ customer_id: "green_may_12", name: { first: "May", last: "Green" }, address: { city: "Oakdale" } }],
    products: [{ product_id: 1, name: "Desk Lamp", price: 3 }],
  });
  const text =
    "# Next Steps\n\nIn May 1234567 tokens; retail agent 2.1 met 83.4 %. Desk Lamp, green light, 4f1d2c9a8b7e6d5c.";
  expect(words.written(text)).toBe(text);
  expect(words.written("May Green of Oakdale called.")).toBe("Xxx Xxxxx of Xxxxxxx called.");
  expect(words.said("I am May Green and want the Desk Lamp of order 7788991.")).toBe(
    "I am Xxx Xxxxx and want the Desk Lamp of order 0000000.",
  );
});
