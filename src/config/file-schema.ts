import { z } from "zod";
import { proxySchema } from "./proxy/schema.ts";
import { reviewSchema } from "./review/section.ts";

/** The configuration file with all its sections, as JSON Schema: what an editor checks and completes it with. */
export function configurationJsonSchema(): object {
  const file = z.strictObject({
    $schema: z.string().exactOptional().describe("Where an editor finds this schema."),
    review: reviewSchema.prefault({}).describe("Plan and code reviews."),
    proxy: proxySchema.prefault({}).describe("The proxy."),
  });
  return z.toJSONSchema(file, { io: "input" });
}
