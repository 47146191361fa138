import { serve } from "./serve.ts";
import { verify } from "./verify.ts";

// The program of an exported dataset. It runs alone, without the service.
const [, , act, ...rest] = process.argv;
if (act === "serve") serve(rest);
else if (act === "verify") verify(rest);
else {
  console.error("serve FOLDER JOURNAL PORT | verify TESTS LOGS JOURNAL APP");
  process.exitCode = 64;
}
