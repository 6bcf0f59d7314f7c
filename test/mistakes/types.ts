/** A mistake that a person makes, and by what words the answer is judged. */
export interface Mistake {
  mistake: string;
  /** Every answer says what is wrong, where, and what to do next: these words do so. */
  what: RegExp;
  where: RegExp;
  next: RegExp;
}

/** A mistake on the command line. `{name}` in the line stands for a file or a port of {@link World}. */
export interface CommandMistake extends Mistake {
  line: string;
  /** Beside PATH and an empty HOME. */
  env?: Record<string, string>;
  /** 2 unless told. */
  code?: number;
  /** The command does its work: the answer is what it prints, on both streams. */
  prints?: true;
}

export const HUB = "--kubeconfig {hub}";
