import type { Cell, PageSection } from "./page-doc.ts";
import { cut, inWords, metOf } from "./words.ts";

/** The columns of `groupCells`. */
export const GROUP_COLUMNS: Extract<PageSection, { show: "table" }>["columns"] = [
  { name: "Played by" },
  // What a phone shows without moving the table.
  { name: "Met", kind: "number" },
  { name: "On" },
  { name: "Status" },
  { name: "Infra", kind: "number" },
  { name: "Invalid", kind: "number" },
];

/** How a run group stands, wherever groups are listed: met of valid trials, with infra and invalid ones beside. */
export function groupCells(row: {
  readonly id: string;
  readonly agent: string;
  readonly on: readonly { readonly label: string }[];
  readonly status: string;
  readonly met: number;
  readonly valid: number;
  readonly infra: number;
  readonly invalid: number;
}): Cell[] {
  return [
    { text: row.agent, link: { page: "group", id: row.id } },
    row.valid === 0 ? metOf(row) : { ...metOf(row), link: { page: "trials", id: row.id } },
    cut(row.on.map(({ label }) => label).join(", "), 120),
    row.status,
    row.infra || "",
    row.invalid || "",
  ];
}

/** Why a task failed on either side of a comparison; told once where it is the same on both. */
export function causesOfArms(
  causes: Readonly<Record<"a" | "b", readonly { readonly cause: string }[]>>,
  names: Readonly<Record<"a" | "b", string>>,
): string {
  const causesOf = (arm: "a" | "b") => causes[arm].map(({ cause }) => inWords(cause)).join(", ");
  const [a, b] = [causesOf("a"), causesOf("b")];
  if (a === b) return a === "" ? "" : `both: ${a}`;
  return [a === "" ? [] : `${names.a}: ${a}`, b === "" ? [] : `${names.b}: ${b}`].flat().join("; ");
}
