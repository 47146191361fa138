/** Set on the owner's socket by processes of the same person, to the owner's secret: the caller is local. Meaningless anywhere else. */
export const LOCAL_HEADER = "x-svc-local";
