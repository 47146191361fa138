import { renderToStaticMarkup } from "preact-render-to-string";
import { expect, it } from "vitest";
import { table } from "../../src/pages/html.ts";

it("a table with a time among three columns is shown as cards on a phone: times never break", () => {
  const columns = (last: string) => [{ name: "Record" }, { name: "Traces", n: true }, { name: last }];
  const row = ["anthropic-messages", 12, "2026-11-30 16:22"];
  const shown = (last: string) => renderToStaticMarkup(table("Records.", columns(last), [row]) as never);
  expect(shown("Sent (UTC)")).toContain('<table class="cards">');
  expect(shown("Sort")).not.toContain("cards");
});
