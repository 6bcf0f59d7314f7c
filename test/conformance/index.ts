/**
 * The conformance suite: the same requests to a sandbox cluster and to a real kube-apiserver, and the same commands of the real kubectl to
 * both. It compares status codes, answers, objects with their managedFields, warnings and the events of watches, and promises that every
 * case means something: each says what the real server answers, and fails when that is not so. It never compares with a recording, and
 * never shares a client with Meridian.
 *
 * Not compared, because no two servers have it in common: uids, resourceVersions and times (but whether they are the same as before),
 * names and addresses that are drawn at random, the order of managedFields (by time, in seconds). Of a refusal the code, the reason, the
 * object and each cause's reason and field are compared, and of its message only what clients read there.
 *
 * Differences that are meant: descriptions of built-in fields are cut to their first sentence; pods get no volume with a token.
 * What else remains stands below, case by case, with its reason; a case that no longer differs fails until it is taken out.
 */
export const knownDifferences: Readonly<Record<string, string>> = {
  "apply of a custom resource > of a null for another field is refused":
    "the sandbox drops a null that the schema does not allow from every submission, the real server not from an apply",
  "custom resource definitions > take a new schema":
    "objects that are stored already get the defaults of a new schema with their next write, not when they are read",
  "validation of custom resources > a string for the whole spec":
    "the sandbox does not complain as well that it cannot find the replicas of a spec that is no object",
  "validation of custom resource definitions > a rule does not cost too much":
    "the sandbox does not estimate what CEL rules cost",
  "defaults of workloads > a Pod without its service account is refused":
    "pods of the default ServiceAccount are taken before a controller has made it, so that nobody has to wait",
  "field validation > takes the last of a field twice otherwise":
    "of a map that is there twice in a body the sandbox takes the last, the real server both",
  "watch > of one object through its own path is deprecated and works": "the paths below /api/v1/watch are not served",
};
