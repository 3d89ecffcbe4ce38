/// A few words in lower case to find bytes among: names of headers, of query parameters.
///
/// Raw memory, for it is read for each header of an answer; its owner frees it.
struct WordSet: @unchecked Sendable {
    // Sendable: nothing changes it after it was made.
    private let words: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>

    init(_ words: [String]) {
        let all = UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>.allocate(
            capacity: words.count)
        for (index, word) in words.enumerated() {
            let bytes = Array(word.lowercasedASCII.utf8)
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            all.initializeElement(at: index, to: UnsafeBufferPointer(copy))
        }
        self.words = UnsafeBufferPointer(all)
    }

    func contains(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < words.count {
            if word.equals(words[index]) { return true }
            index += 1
        }
        return false
    }

    func free() {
        for word in words { word.deallocate() }
        words.deallocate()
    }
}
