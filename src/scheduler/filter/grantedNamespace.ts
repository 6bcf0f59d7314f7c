import { fullMessage, isGranted, namespaceNotGranted } from "../../apis/index.ts";
import { fits, refuses, type Filter } from "./filter.ts";

const GRANTED = fits("NamespaceGranted", "the cluster takes objects of every namespace, or of this one");

/**
 * Refuses clusters joined for other namespaces, where the account has no rights: a copy does not keep the object there.
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
