declare module 'asl-validator' {
  interface ValidationOptions {
    readonly checkPaths: boolean;
    readonly checkArn: boolean;
  }

  interface Validation {
    readonly isValid: boolean;
    errorsText(separator?: string): string;
  }

  /** Writes defaults into the definition it is given. */
  const validate: (definition: object, options: ValidationOptions) => Validation;
  export = validate;
}
