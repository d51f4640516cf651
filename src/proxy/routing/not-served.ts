import { AppError } from "../../errors.ts";

/** Returns the error `model_not_found` for a model that no upstream lists and no rule matches. */
export function notServed(model: string): AppError {
  const name = JSON.stringify(model.slice(0, 200));
  return new AppError(
    "model_not_found",
    `No upstream serves the model ${name}; add a rule for it under proxy.models`,
  );
}
