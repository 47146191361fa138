import type { Tree } from "./diff.ts";

const README = "# Pocket ledger\n\nKeeps small accounts.\n\n## Use\n\nRun `ledger add`.\n";
const MAIN = 'import { add } from "./add.js";\n\nexport function main(args) {\n  return add(args);\n}\n';
const ADD = "export function add(rows) {\n  let sum = 0;\n  for (const row of rows) sum += row;\n  return sum;\n}\n";
const FIXED_ADD = ADD.replace("sum += row;", "sum += Number(row);");
export const CONFIG = "currency: EUR\nlocale: de\nrounding: 2\n";
const FIRST: Tree = { "README.md": README };
export const ALL: Tree = { ...FIRST, "config.yml": CONFIG, "src/add.js": ADD, "src/main.js": MAIN };

/** The history that every task starts with, the oldest first: hash, message, date, branch, files. */
export const HISTORY: readonly (readonly [string, string, string, string, Tree])[] = [
  ["3f1c9ae", "Initial commit", "2026-01-12 09:14:02", "main", FIRST],
  ["a07be52", "Add the sum", "2026-01-13 16:40:51", "main", { ...FIRST, "src/add.js": ADD }],
  ["58d2f0c", "Add a main function and settings", "2026-01-15 10:02:37", "main", ALL],
  ["c94e1b7", "Read rows as numbers", "2026-01-16 11:25:10", "fix-sum", { ...ALL, "src/add.js": FIXED_ADD }],
];
