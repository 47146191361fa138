import fc from "fast-check";

/** Property tests run on one seed, so that a run says the same twice; FC_SEED=NUMBER tries another. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.FC_SEED ?? 20_261_121) });
