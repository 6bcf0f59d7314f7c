import { DEMOAPPLICATIONS, OVERRIDEPOLICIES } from "../../src/runtime/index.ts";
import { overridePolicy, placement } from "../builders/index.ts";
import { NEW_IMAGE, relabel, running, setApp, setPolicy, shop } from "./deeds.ts";
import type { Play } from "./play.ts";
import { plays } from "./stage.ts";

const south = overridePolicy("south");

function override(play: Play, words: string, policy: ReturnType<typeof overridePolicy>): Promise<void> {
  return play.apply(`applies OverridePolicy ${policy.object().metadata.name}: ${words}`, OVERRIDEPOLICIES, policy);
}

plays("what differs between clusters", [
  {
    name: "create-everywhere",
    about: "A new application comes to every cluster.",
    act: async (play) => {
      await setPolicy(play, "every cluster", placement("all"));
      await setApp(play, "creates DemoApplication shop, 2 replicas", shop);
      await play.settle();
    },
  },
  {
    name: "override-replicas-in-a-region",
    about: "An override gives the region of b three replicas, then five, and is deleted.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("all"));
      await override(play, "3 replicas in the south", south.inRegion("south", { replicas: 3 }));
      await play.settle();
      await override(play, "5 replicas in the south", south.inRegion("south", { replicas: 5 }));
      await play.settle();
      await play.delete("deletes OverridePolicy south", OVERRIDEPOLICIES, "south");
      await play.settle();
    },
  },
  {
    name: "override-image-registry",
    about: "The region of b takes images from a registry of its own, also after the image changes.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("all"));
      await override(
        play,
        "another registry",
        south.inRegion("south", { image: { registry: "registry.south.example" } }),
      );
      await play.settle();
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.settle();
    },
  },
  {
    name: "override-follows-the-region",
    about: "A cluster comes into the region of an override, and leaves it.",
    members: ["a", "b"],
    act: async (play) => {
      await override(play, "", south.inRegion("south", { replicas: 3 }));
      await running(play, placement("all"));
      await relabel(play, "a", { "topology.kubernetes.io/region": "south" });
      await play.settle();
      await relabel(play, "a", { "topology.kubernetes.io/region": "north" });
      await play.settle();
    },
  },
  {
    name: "override-that-cannot-apply",
    about: "An override whose patch does not fit changes nothing on its cluster, and the others go on.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("all"));
      const patches = [{ op: "remove", path: "/spec/template/spec/nodeSelector/disk", kind: "Deployment" }] as const;
      await override(play, "a patch that does not fit", south.inRegion("south", { patches: [...patches] }));
      await setApp(play, `changes the image to ${NEW_IMAGE}`, shop.image(NEW_IMAGE));
      await play.settle();
      await play.delete("deletes OverridePolicy south", OVERRIDEPOLICIES, "south");
      await play.settle();
    },
  },
  {
    name: "scale-by-subresource",
    about: "A person scales the application down to nothing, and up again.",
    members: ["a", "b"],
    act: async (play) => {
      await running(play, placement("all"));
      await play.merge("changes the replicas to 0", DEMOAPPLICATIONS, "shop", { spec: { replica: 0 } });
      await play.settle();
      await play.merge("changes the replicas to 2", DEMOAPPLICATIONS, "shop", { spec: { replica: 2 } });
      await play.settle();
    },
  },
]);
