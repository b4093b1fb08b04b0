//! Small programs built by hand, and the compilers that must accept their text.

use std::io::Write as _;
use std::process::{Command, Stdio};

use farrier_lang::target::X86_64_LINUX;
use farrier_lang::*;

/// A program under construction.
pub(crate) struct Build {
    pub(crate) program: Program,
}

impl Build {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self { program: Program::new(&X86_64_LINUX, dialect) }
    }

    pub(crate) fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty })
    }

    pub(crate) fn int(&mut self, value: u64) -> ExprId {
        self.expr(ExprKind::Int(value), Types::INT)
    }

    /// An object that no item declares yet.
    pub(crate) fn hidden_object(&mut self, name: &str, ty: TypeId) -> ObjectId {
        let name = self.program.names.intern(name);
        self.program.objects.push(Object::local(name, ty))
    }

    /// An object of file scope.
    pub(crate) fn object(&mut self, name: &str, ty: TypeId, init: Option<ExprId>) -> ObjectId {
        let id = self.hidden_object(name, ty);
        let object = &mut self.program[id];
        (object.linkage, object.storage, object.init) = (Linkage::External, Storage::Static, init);
        self.program.items.push(Item::Define(Entity::Object(id)));
        id
    }

    pub(crate) fn lvalue(&mut self, object: ObjectId) -> ExprId {
        let ty = self.program[object].ty;
        self.expr(ExprKind::Object(object), ty)
    }

    pub(crate) fn load(&mut self, object: ObjectId) -> ExprId {
        let lvalue = self.lvalue(object);
        let ty = self.program[object].ty.unqualified();
        self.expr(ExprKind::Load(lvalue), ty)
    }

    /// A function that is defined with this body.
    pub(crate) fn function(
        &mut self,
        name: &str,
        result: TypeId,
        parameters: &[ObjectId],
        body: Vec<StmtId>,
    ) -> FunctionId {
        let types = parameters.iter().map(|&id| self.program[id].ty.unqualified()).collect();
        let ty = self.program.types.function(FunctionType {
            result,
            parameters: types,
            variadic: false,
            prototyped: true,
        });
        let name = self.program.names.intern(name);
        let body = self.program.stmts.push(Stmt::Block(body.into()));
        let id = self.program.functions.push(Function {
            name,
            ty,
            linkage: Linkage::External,
            specifiers: FunctionSpecifiers::default(),
            parameters: parameters.into(),
            body: Some(body),
            old_style: false,
            asm_name: None,
            attributes: [].into(),
        });
        self.program.items.push(Item::Define(Entity::Function(id)));
        id
    }
}

/// Fails unless gcc accepts `text`.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the print is given to a real compiler")]
pub(crate) fn compile(text: &str, dialect: Dialect) {
    compile_with(&mut Command::new("gcc"), text, dialect);
}

/// Fails unless this compiler accepts `text`.
#[track_caller]
pub(crate) fn compile_with(compiler: &mut Command, text: &str, dialect: Dialect) {
    let standard = match dialect {
        Dialect::C99 => "gnu99",
        Dialect::C11 => "gnu11",
        Dialect::C17 => "gnu17",
        Dialect::C23 => "gnu2x",
    };
    let mut child = compiler
        .args(["-w", "-fsyntax-only", "-x", "c", "-"])
        .arg(format!("-std={standard}"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the compiler is installed");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(text.as_bytes())
        .expect("the compiler reads its input");
    let output = child.wait_with_output().expect("the compiler runs");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}
