import fc from "fast-check";
import { SEED } from "./random.ts";

// Properties are tested with the same values in each run, so only a change of the code can make one fail.
fc.configureGlobal({ seed: SEED });
