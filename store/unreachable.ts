import { AppError } from "../chapters/errors.ts";

/** The database could not be reached: what was asked may be asked again, and nobody who asked did wrong. */
export class StoreUnreachable extends AppError {
  constructor() {
    super("unavailable", "The database cannot be reached now; try again.", { retryAfter: 5 });
  }
}
