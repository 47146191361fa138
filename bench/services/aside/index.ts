import type { InventedService } from "../service.ts";
import { calculator } from "./calculator.ts";
import { social } from "./social.ts";

/** Services that no work on the compiler looks at: `bench:fidelity -- aside` measures them. */
export const ASIDE: readonly InventedService[] = [social, calculator];
