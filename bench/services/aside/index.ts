import type { InventedService } from "../service.ts";
import { board } from "./board.ts";
import { calculator } from "./calculator.ts";
import { customers } from "./customers.ts";
import { graph } from "./graph.ts";
import { home } from "./home.ts";
import { social } from "./social.ts";

/** Services that no work on the compiler looks at: `bench:fidelity -- aside` measures them. */
export const ASIDE: readonly InventedService[] = [social, calculator, board, graph, customers, home];
