import { AppError } from "../../errors.ts";

/** Returns `model_not_found` for a model that no upstream lists and no rule matches. */
export function notServed(model: string): AppError {
  const name = JSON.stringify(model.slice(0, 200));
  return new AppError(
    "model_not_found",
    `The model ${name} is not served by any upstream; a rule under proxy.models can send it to one`,
  );
}
