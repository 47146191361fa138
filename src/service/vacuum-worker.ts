import { workerData } from "node:worker_threads";
import { vacuumFile } from "../../store/sqlite/vacuum.ts";

vacuumFile(String(workerData));
