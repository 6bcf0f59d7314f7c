/** A mistake that a person makes, and by what words the answer is judged. */
export interface Mistake {
  mistake: string;
  /** Every answer says what is wrong, where, and what to do next: these words do so. */
  what: RegExp;
  where: RegExp;
  next: RegExp;
}
