/** Selective repeat: one PSN space's sender, receiver and bitmaps (IRN). */
export {
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  EARLY,
  HELD,
  IN_ORDER,
  MESSAGE_END,
  PACKET,
  type PacketClass,
  type Place,
  SelectiveRepeatReceiver,
  type SelectiveRepeatReceiverOptions,
} from './receiver.ts'
export { NO_PSN, SELECTIVE_REPEAT_DEFAULTS, type SelectiveRepeatOptions, SelectiveRepeatSender } from './sender.ts'
