/** Redaction: files of a fabric without what tells whose it is, which say the same to all rules. */
export { devicesNamedIn, Redactor } from './redactor.ts'
