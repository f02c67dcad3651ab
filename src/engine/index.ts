/** Engine: time and order, nothing about networks. */
export { Digest } from './digest.ts'
export { EventQueue } from './event-queue.ts'
