import { fullMessage, isGranted, namespaceNotGranted } from "../../apis/index.ts";
import { fits, refuses, type Filter } from "./filter.ts";

const GRANTED = fits("NamespaceGranted", "the cluster takes objects of every namespace, or of this one");

/**
 * Refuses clusters that were joined for other namespaces. The account has no rights in the object's namespace, so a
 * copy there does not keep the object on the cluster either.
 */
export const grantedNamespace: Filter = {
  name: "GrantedNamespace",
  prepare:
    ({ subject: { namespace } }) =>
    ({ name, namespaces }) => {
      if (namespaces === undefined || isGranted(namespaces, namespace)) return GRANTED;
      const { reason, message } = namespaceNotGranted(name, namespaces, namespace);
      return refuses(reason, fullMessage(message));
    },
};
