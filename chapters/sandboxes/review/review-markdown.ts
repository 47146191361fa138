import { escapeText } from "../../text/markdown.ts";

interface ReviewSummary {
  readonly counts: Readonly<Record<string, number>>;
  readonly verdicts: readonly { readonly name: string; readonly passed: number; readonly failed: number }[];
  readonly tasks: readonly {
    readonly index: number;
    readonly family: string;
    readonly request: string;
    readonly status: string;
    readonly reason?: string | undefined;
  }[];
  readonly tier: string;
}

/** A review as Markdown: grading, counts, verdicts and every task. Evidence texts are escaped. */
export function reviewMarkdown(label: string, { counts, verdicts, tasks, tier }: ReviewSummary): string {
  const rows = tasks.map(
    ({ index, family, status, request, reason }) =>
      `| ${index} | ${family} | ${status} | ${escapeText(request, 200)} | ${escapeText(reason ?? "", 200)} |`,
  );
  return `${[
    `# Review of ${escapeText(label)}`,
    "",
    `Tier: ${tier}. Checks were run on wrong and equal trials of every task, on forks of the world.`,
    "",
    Object.entries(counts)
      .map(([status, n]) => `${n} ${status}`)
      .join(", "),
    "",
    "| verdict | passed | failed |",
    "| - | - | - |",
    ...verdicts.map(({ name, passed, failed }) => `| ${name} | ${passed} | ${failed} |`),
    "",
    "| task | family | status | request | reason |",
    "| - | - | - | - | - |",
    ...rows,
  ].join("\n")}\n`;
}
