import JSONText

/// An element of an XML document, with those of its children and attributes that are of interest.
///
/// Names are without prefix: services bind the same names to different prefixes, and some forget to
/// bind them.
struct XMLElement: Sendable {
    struct Attribute: Sendable {
        let name: String
        let value: String
    }

    let name: String
    let place: JSONPlace
    let attributes: [Attribute]
    var children: [XMLElement] = []
    /// Without blanks at both ends; "" when the element holds others that are kept.
    var text = ""

    /// The first child of a name.
    func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    func all(_ name: String) -> some Sequence<XMLElement> {
        children.lazy.filter { $0.name == name }
    }

    /// The elements at the end of a path of names, in document order.
    func all(path: String...) -> [XMLElement] {
        path.reduce([self]) { elements, name in elements.flatMap { $0.all(name) } }
    }

    func attribute(_ name: String) -> String? {
        attributes.first { $0.name == name }?.value
    }

    /// The text of the first child of a name; nil without such a child.
    func text(of name: String) -> String? { first(name)?.text }

    func remark(_ message: String, hint: String? = nil) -> DocumentRemark {
        DocumentRemark(path: "<\(name)>", place: place, message, hint: hint)
    }
}

extension XMLElement {
    /// The child of a name, which the schema requires.
    func required(_ name: String) throws(DocumentRemark) -> XMLElement {
        guard let child = first(name) else { throw remark("has no <\(name)>") }
        return child
    }

    /// The element's text as a finite number.
    func number() throws(DocumentRemark) -> Double {
        guard let number = Double(text), number.isFinite else {
            throw remark("\"\(quoted(text))\" is no number")
        }
        return number
    }

    /// The element's text as a whole number.
    func whole(in range: ClosedRange<Int>) throws(DocumentRemark) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw remark(
                "\"\(quoted(text))\" is no whole number within"
                    + " \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    /// The element's text as two finite numbers between blanks, or a comma as some write it.
    func pair() throws(DocumentRemark) -> (first: Double, second: Double) {
        let parts = text.split { " \t\r\n,".contains($0) }
        let numbers = parts.compactMap { Double($0) }.filter(\.isFinite)
        guard parts.count == 2, numbers.count == 2 else {
            throw remark("\"\(quoted(text))\" is no pair of numbers")
        }
        return (numbers[0], numbers[1])
    }
}
