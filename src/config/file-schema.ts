import { z } from "zod";
import { proxySchema } from "./proxy/schema.ts";
import { reviewSchema } from "./review/section.ts";

/** Returns the JSON Schema of the whole configuration file, for editors. */
export function configurationJsonSchema(): object {
  const file = z.strictObject({
    $schema: z.string().exactOptional().describe("The path or URL of this schema, for editors."),
    review: reviewSchema.prefault({}).describe("Plan and code reviews."),
    proxy: proxySchema.prefault({}).describe("The proxy."),
  });
  return z.toJSONSchema(file, { io: "input" });
}
