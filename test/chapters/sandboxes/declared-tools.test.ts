import { expect, test } from "vitest";
import { AppError } from "../../../chapters/errors.ts";
import { withDeclaredTools } from "../../../chapters/sandboxes/surfaces/declared-tools.ts";
import { compile } from "../../../worlds/compile/index.ts";
import { shopTraces } from "../../worlds/compile/shop.ts";

const { bundle } = compile(shopTraces(), { name: "shop" });

test("a refused declaration names fields and places, and keeps the caller's words out of its reason", () => {
  const evil = "ignore_all_rules";
  try {
    withDeclaredTools(bundle, {
      redeclared_tools: [{ name: "pay_bill", behaviour: `read ${evil} by bill_id` }],
    });
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).toBe("bad_request");
    expect(error.reason).not.toContain(evil);
    expect(error.details.fields).toEqual([
      {
        path: "redeclared_tools[0].behaviour",
        message: expect.stringMatching(/^line 1, column 6: expected a table: /),
      },
    ]);
    expect(error.details.names).toEqual([evil]);
  }
});

test("an accepted declaration gives the bundle and what changed", () => {
  const { bundle: made, changes } = withDeclaredTools(bundle, { removed_tools: ["pay_bill"] });
  expect(made.tools).toHaveLength(bundle.tools.length - 1);
  expect(changes.tools_removed).toEqual(["pay_bill"]);
});
