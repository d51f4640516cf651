import fc from "fast-check";
import { SEED } from "./random.ts";

// Properties are held against the same values in each run, so that none fails by chance: only a change can.
fc.configureGlobal({ seed: SEED });
