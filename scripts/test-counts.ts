import { readFileSync } from "node:fs";

/** What a run of Vitest writes with `--reporter=json`, as far as it is read here. */
interface Report {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/** The failures of a suite by name; a file that fails without a failed test counts as one. */
function failures(suite: string, report: Report): string[] {
  return report.testResults.flatMap((file) => {
    const notPassed = file.assertionResults.filter(({ status }) => status !== "passed");
    const tests = notPassed.map(({ fullName, status }) => `FAIL  ${suite} ${file.name}: ${fullName} (${status})`);
    const alone = file.status === "failed" && !notPassed.some(({ status }) => status === "failed");
    return alone ? [`FAIL  ${suite} ${file.name}: ${file.message}`, ...tests] : tests;
  });
}

/** `node scripts/test-counts.ts SUITE REPORT.json`: prints how many passed and failed (skipped ones too) and names failures on stderr. */
function main(suite: string, path: string): void {
  const report = JSON.parse(readFileSync(path, "utf8")) as Report;
  const failed = failures(suite, report);
  for (const line of failed) console.error(line);
  console.log(report.numPassedTests, failed.length);
}

const [suite, path] = process.argv.slice(2);
if (suite === undefined || path === undefined) throw new Error("SUITE and REPORT.json are asked for");
main(suite, path);
