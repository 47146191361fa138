import { workerData } from "node:worker_threads";
import { scrubFile } from "../../store/sqlite/scrub.ts";

scrubFile(String(workerData));
