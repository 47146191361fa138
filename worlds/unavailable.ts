/** What a call is answered with that was not made because it could not be stored: nothing of it happened. */
export const UNAVAILABLE = "Error: unavailable: the call was not made, try again";
