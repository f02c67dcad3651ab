/** Redaction: files of a fabric without what tells whose it is, which say the same to all rules. */
export { withoutPasswords } from './lines.ts'
export { devicesNamedIn, Redactor } from './redactor.ts'
