import type { ModelOffer, OfferRole } from "../../protocol/model-offers.ts";

export interface OfferedModel {
  id: string;
  label: string;
  vendor?: string;
}

/** What `GET /admin/models` returns. */
export interface OffersOfRoles {
  roles: Record<OfferRole, ModelOffer>;
  models: OfferedModel[];
}

export function vendorOf({ id }: OfferedModel): string {
  return id.slice(0, id.indexOf("/"));
}

/** Whether one of these ids or patterns stands for a model, as the server decides it. */
export function isInOffer(patterns: readonly string[], id: string): boolean {
  return patterns.some((one) => {
    if (!one.includes("*")) return one === id;
    const parts = one.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(id);
  });
}
