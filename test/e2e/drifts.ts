/** What somebody changes in the objects of `shop` on a member, and what they are to be again. */
export const DRIFTS = [
  {
    what: "a scaled Deployment",
    kind: "Deployment",
    patch: { spec: { replicas: 7 } },
    healed: { spec: { replicas: 2 } },
  },
  {
    what: "another image",
    kind: "Deployment",
    patch: { spec: { template: { spec: { containers: [{ name: "shop", image: "evil:1" }] } } } },
    healed: { spec: { template: { spec: { containers: [{ image: "nginx:1.27" }] } } } },
  },
  {
    what: "another selector of the Service",
    kind: "Service",
    patch: { spec: { selector: { app: "somewhere-else" } } },
    healed: { spec: { selector: { app: "shop" } } },
  },
];
