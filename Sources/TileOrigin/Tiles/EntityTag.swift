/// If-None-Match against a tag of this server (RFC 9110, section 13.1.2).
enum EntityTag {
    /// Whether the list names the tag, or is "*". The comparison is the weak one: `W/` is ignored.
    static func matches(_ tag: UInt64, list: UnsafeBufferPointer<CChar>) -> Bool {
        var index = 0
        while index < list.count {
            switch UInt8(bitPattern: list[index]) {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: ","), UInt8(ascii: "W"),
                UInt8(ascii: "/"):
                index += 1
            case UInt8(ascii: "*"):
                return true
            case UInt8(ascii: "\""):
                let start = index + 1
                var end = start
                while end < list.count, list[end] != CChar(bitPattern: UInt8(ascii: "\"")) {
                    end += 1
                }
                if end - start == 16, end < list.count, let text = list.baseAddress,
                    UInt64(hexDigits16: text + start) == tag
                {
                    return true
                }
                index = end + 1
            default:
                // Not a list of tags: the condition is not met.
                return false
            }
        }
        return false
    }
}
