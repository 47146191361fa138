/** Seconds that a trial may take where nobody says otherwise: the same wherever trials are started. */
export const DEFAULT_TIMEOUT_S = 120;
